/** A text with its entities as elements. Offsets are UTF-16 units, which is how JavaScript counts as well. */

import { isolate, make, makeButton } from "./element.js";
import { say } from "./words.js";

/**
 * @typedef {{type: string, offset: number, length: number, url?: string, language?: string, user?: any}} Entity
 * @typedef {{
 *   isOpen: (key: string) => boolean, setOpen: (key: string, isOpen: boolean) => void,
 *   follow: (url: string, from: HTMLElement) => void, sendCommand: (command: string) => void,
 * }} Surroundings
 */

const PLAIN_TAGS = { bold: "strong", italic: "em", underline: "u", strikethrough: "s", code: "code" };
const BLOCKS = new Set(["blockquote", "expandable_blockquote", "pre"]);
const QUOTES = new Set(["blockquote", "expandable_blockquote"]);
// Where two cover the same letters: what stands outside of what.
const OUTER_FIRST = ["blockquote", "expandable_blockquote", "pre", "spoiler", "text_link", "url"];

/** @returns {Node[]} */
export function renderText(/** @type {string} */ text, /** @type {Entity[]} */ entities, /** @type {Surroundings} */ around) {
  const sound = entities.filter((one) => one.offset >= 0 && one.length > 0 && one.offset < text.length);
  const spans = sound.map((entity, index) => ({
    entity,
    key: `${index}`,
    start: entity.offset,
    end: Math.min(entity.offset + entity.length, text.length),
  }));
  return renderRange(text, { start: 0, end: text.length, spans, around });
}

function renderRange(text, { start, end, spans, around }) {
  const waiting = [...spans].sort(compareSpans);
  const nodes = [];
  let position = start;
  while (waiting.length > 0) {
    const span = waiting.shift();
    nodes.push(text.slice(position, span.start));
    const inside = [];
    const behind = [];
    for (const other of waiting) {
      if (other.start >= span.end) behind.push(other);
      else if (other.end <= span.end) inside.push(other);
      else {
        // One that reaches over the end is told in two pieces.
        inside.push({ ...other, end: span.end });
        behind.push({ ...other, start: span.end });
      }
    }
    waiting.splice(0, waiting.length, ...behind.sort(compareSpans));
    const children = renderRange(text, { start: span.start, end: span.end, spans: inside, around });
    nodes.push(renderEntity(span, { covered: text.slice(span.start, span.end), children, around }));
    // The line that a block ends needs no second end.
    position = span.end + (BLOCKS.has(span.entity.type) && text[span.end] === "\n" && span.end < end ? 1 : 0);
  }
  nodes.push(text.slice(position, end));
  return nodes.filter((node) => node !== "");
}

function compareSpans(one, other) {
  const rank = (span) => (OUTER_FIRST.indexOf(span.entity.type) + OUTER_FIRST.length + 1) % (OUTER_FIRST.length + 1);
  return one.start - other.start || other.end - one.end || rank(one) - rank(other);
}

function renderEntity({ entity, key }, { covered, children, around }) {
  const { type } = entity;
  if (type in PLAIN_TAGS) return make(PLAIN_TAGS[type], {}, children);
  if (QUOTES.has(type)) return renderQuote(type, { key, children, around });
  if (type === "pre") return renderPre(entity, children);
  if (type === "spoiler") return renderSpoiler({ key, children, around });
  if (type === "text_link") return renderLink(entity.url ?? "", { children, around, showTarget: true });
  if (type === "url") return renderLink(covered, { children, around, showTarget: false });
  if (type === "bot_command") return renderCommand(covered, { children, around });
  return make("span", { class: `entity ${type.replaceAll("_", "-")}` }, children);
}

function renderPre(entity, children) {
  const label = entity.language ? make("span", { class: "pre-language" }, entity.language) : null;
  return make("pre", { dir: "ltr", tabindex: 0, "aria-label": say("codeBlock") }, label, make("code", {}, children));
}

function renderSpoiler({ key, children, around }) {
  const isOpen = around.isOpen(key);
  const covered = make("span", { class: "spoiler-text", inert: !isOpen }, children);
  const spoiler = make("span", { class: "spoiler", "data-focus-key": `spoiler-${key}` }, covered);
  if (isOpen) {
    spoiler.classList.add("open");
    return spoiler;
  }
  const open = () => {
    around.setOpen(key, true);
    spoiler.classList.add("open");
    covered.inert = false;
    for (const name of ["role", "tabindex", "aria-label"]) spoiler.removeAttribute(name);
  };
  spoiler.setAttribute("role", "button");
  spoiler.setAttribute("tabindex", "0");
  spoiler.setAttribute("aria-label", say("spoilerHidden"));
  spoiler.addEventListener("click", open, { once: true });
  spoiler.addEventListener("keydown", (event) => {
    if (spoiler.getAttribute("role") !== "button" || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    open();
  });
  return spoiler;
}

function renderQuote(type, { key, children, around }) {
  const quote = make("blockquote", { dir: "auto" }, make("div", { class: "quoted" }, children));
  if (type === "blockquote") return quote;
  const isOpen = around.isOpen(key);
  quote.classList.add("expandable");
  quote.classList.toggle("open", isOpen);
  const toggle = makeButton(
    { class: "expand", "aria-expanded": String(isOpen), "data-focus-key": `quote-${key}` },
    say(isOpen ? "showLess" : "showMore"),
  );
  toggle.addEventListener("click", () => {
    const nowOpen = quote.classList.toggle("open");
    around.setOpen(key, nowOpen);
    toggle.setAttribute("aria-expanded", String(nowOpen));
    toggle.textContent = say(nowOpen ? "showLess" : "showMore");
  });
  quote.append(toggle);
  return quote;
}

function renderLink(url, { children, around, showTarget }) {
  const link = makeButton({ class: showTarget ? "link" : "link url-link", title: url, "aria-haspopup": "menu" }, children);
  link.addEventListener("click", () => around.follow(url, link));
  if (!showTarget) return link;
  return make("span", { class: "text-link" }, link, isolate(` ${shorten(url)}`, { class: "link-target", dir: "ltr" }));
}

function renderCommand(command, { children, around }) {
  const button = makeButton({ class: "link command", title: say("sendCommand", { command }) }, children);
  button.addEventListener("click", () => around.sendCommand(command));
  return button;
}

/** An address short enough to stand beside its link: the end matters less than whose it is. */
function shorten(/** @type {string} */ url) {
  const bare = url.replace(/^https?:\/\//, "");
  return bare.length > 48 ? `${bare.slice(0, 47)}…` : bare;
}
