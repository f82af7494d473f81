/** Long texts, in as many messages as Telegram's apps make of them. */

/** @returns {string[]} parts that are not empty and cut no character */
export function splitPastedText(/** @type {string} */ text, /** @type {number} */ mostUnits) {
  const parts = [];
  let start = 0;
  while (start < text.length) {
    const full = wholeCharacterEnd(text, Math.min(start + mostUnits, text.length));
    const end = full === text.length ? full : findBreak(text, start + mostUnits / 2, full);
    parts.push(text.slice(start, end).replace(/^[ \n]+|[ \n]+$/g, ""));
    start = end;
  }
  return parts.filter((part) => part !== "");
}

function findBreak(text, middle, full) {
  for (const separator of ["\n", " "]) {
    const found = text.lastIndexOf(separator, full - 1);
    if (found >= middle) return found + 1;
  }
  return full;
}

/** A place that does not lie between the halves of a character. */
function wholeCharacterEnd(text, end) {
  const unit = text.charCodeAt(end);
  return end < text.length && unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end;
}

/** A text of some length to paste, in the language of whoever pastes it. */
export function makeLongText(/** @type {string | null} */ language, /** @type {number} */ units) {
  const line = language === "fa" ? "این یک متن بلند است که در چند پیام می‌رود. " : "This is a long text that takes several messages. ";
  const lines = [];
  for (let count = 1, length = 0; length < units; count += 1) {
    lines.push(`${count}. ${line.repeat(3).trim()}`);
    length += lines[lines.length - 1].length + 1;
  }
  return lines.join("\n");
}
