/** Building elements. Text only ever becomes text: nothing here, or anywhere in the page, parses HTML. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Record<string, unknown> & {class?: string, on?: Record<string, (event: any) => void>}} Properties
 * @typedef {Node | string | null | undefined | false} Child
 */

/**
 * Make an element. `on` holds listeners; true sets an attribute without a value, null and false leave it out.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function make(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/**
 * Make an element of a drawing.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function draw(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** A button that submits nothing. */
export function makeButton(properties, ...children) {
  return make("button", { type: "button", ...properties }, ...children);
}

/** A piece of somebody else's words inside a sentence of ours, whatever its direction. */
export function isolate(text, properties = {}) {
  return make("bdi", properties, text);
}

/** Words for those who do not see the sign beside them. */
export function hiddenWords(text) {
  return make("span", { class: "only-read" }, text);
}

/** A small sign that is told in words as well. */
export function makeSign(sign, words, properties = {}) {
  return make("span", { class: "sign", role: "img", "aria-label": words, title: words, ...properties }, sign);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(/** @type {object} */ (value))) {
        element.addEventListener(event, listener);
      }
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat().filter((child) => child || child === ""));
  return element;
}
