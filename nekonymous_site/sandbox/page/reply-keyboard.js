/** The keyboard that the bot puts in place of the letters. */

import { make, makeButton } from "./element.js";
import { say } from "./words.js";

/** @returns {HTMLElement} */
export function drawReplyKeyboard(/** @type {any[][]} */ rows, /** @type {(label: string) => void} */ press) {
  return make(
    "div",
    { class: "reply-keyboard", role: "group", "aria-label": say("replyKeyboard") },
    rows.map((row) =>
      make("div", { class: "button-row" }, row.map((button) => makeButton({ class: "key", dir: "auto", on: { click: () => press(button.text) } }, button.text))),
    ),
  );
}
