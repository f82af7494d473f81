/** The page's own words in its two languages, and its numbers and times. */

import { isolate } from "./element.js";
import { ENGLISH } from "./words-en.js";
import { PERSIAN } from "./words-fa.js";

const LANGUAGES = { en: { words: ENGLISH, direction: "ltr" }, fa: { words: PERSIAN, direction: "rtl" } };
const STORED_AS = "page-language";
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

/** @type {"en" | "fa"} */
let language = readLanguage();

/** The language the page speaks now. */
export const pageLanguage = () => language;

/** Speak another language from now on; what is shown already has to be made anew. */
export function setPageLanguage(/** @type {"en" | "fa"} */ chosen) {
  language = chosen;
  localStorage.setItem(STORED_AS, chosen);
  document.documentElement.lang = chosen;
  document.documentElement.dir = LANGUAGES[chosen].direction;
}

/** Words by their key; `{name}` is replaced by a value, which cannot disturb the direction around it. */
export function say(/** @type {string} */ key, /** @type {Record<string, string | number>} */ values = {}) {
  return partsOf(key)
    .map((part) => (part.name === null ? part.text : surround(values[part.name])))
    .join("");
}

/** As say, with each value in an element of its own. */
export function sayParts(/** @type {string} */ key, /** @type {Record<string, string | number>} */ values) {
  return partsOf(key).map((part) => (part.name === null ? part.text : isolate(format(values[part.name]))));
}

/** Whether there are words for a key. */
export const hasWords = (/** @type {string} */ key) => key in LANGUAGES[language].words;

/** A number as this language writes it. */
export const number = (/** @type {number} */ value) => new Intl.NumberFormat(language).format(value);

/** The time of day of a moment in seconds. */
export function clockTime(/** @type {number} */ seconds, withSeconds = false) {
  const style = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...(withSeconds ? { second: "2-digit" } : {}) };
  return new Intl.DateTimeFormat(language, /** @type {any} */ (style)).format(seconds * 1000);
}

/** The day of a moment in seconds. */
export function calendarDay(/** @type {number} */ seconds) {
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "long" }).format(seconds * 1000);
}

/** How long something lasts, as minutes:seconds. */
export function duration(/** @type {number} */ seconds) {
  const twoDigits = new Intl.NumberFormat(language, { minimumIntegerDigits: 2 });
  return `${number(Math.floor(seconds / 60))}:${twoDigits.format(Math.floor(seconds % 60))}`;
}

/** The name of a language in the page's own. */
export function languageName(/** @type {string | null} */ code) {
  if (!code) return say("languageUnknown");
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Put words where the page's frame says `data-word`, `data-word-label` or `data-word-hint`. */
export function speakFrame() {
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = say(/** @type {HTMLElement} */ (element).dataset.word ?? "");
  }
  for (const element of document.querySelectorAll("[data-word-label]")) {
    element.setAttribute("aria-label", say(/** @type {HTMLElement} */ (element).dataset.wordLabel ?? ""));
  }
}

function partsOf(/** @type {string} */ key) {
  const words = LANGUAGES[language].words[key];
  if (words === undefined) throw new Error(`no words for ${key}`);
  return words
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((text) => ({ text, name: text.startsWith("{") ? text.slice(1, -1) : null }));
}

const format = (value) => (typeof value === "number" ? number(value) : String(value ?? ""));
const surround = (value) => `${FIRST_STRONG_ISOLATE}${format(value)}${POP_ISOLATE}`;

function readLanguage() {
  const stored = localStorage.getItem(STORED_AS) ?? navigator.language.slice(0, 2);
  return stored === "fa" ? "fa" : "en";
}
