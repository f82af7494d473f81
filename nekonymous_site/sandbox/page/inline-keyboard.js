/** The buttons under a message, in the rows that the bot has sent. */

import { make, makeButton } from "./element.js";
import { say } from "./words.js";

const STYLES = new Set(["danger", "success", "primary"]);

/** @returns {HTMLElement | null} */
export function drawInlineKeyboard(message, /** @type {import("./message-bubble.js").Chat} */ chat) {
  if (message.buttons.length === 0) return null;
  const rows = message.buttons.map((row, rowIndex) =>
    make("div", { class: "button-row" }, row.map((button, index) => drawButton(button, { key: `button-${rowIndex}-${index}`, message, chat }))),
  );
  return make("div", { class: "inline-keyboard", role: "group", "aria-label": say("buttonsOfMessage") }, rows);
}

function drawButton(button, { key, message, chat }) {
  const isWaiting = button.callback_data !== undefined && chat.isWaiting(message.message_id, button.callback_data);
  const element = makeButton(
    {
      class: `inline-button${STYLES.has(button.style) ? ` ${button.style}` : ""}${isWaiting ? " waiting" : ""}`,
      "aria-busy": isWaiting ? "true" : null,
      "data-focus-key": key,
      tabindex: -1,
    },
    make("span", { class: "button-words", dir: "auto" }, button.text),
    drawMark(button, isWaiting),
  );
  element.addEventListener("click", () => press(button, { element, message, chat }));
  return element;
}

/** What a button does, where it is more than to tell the bot. */
function drawMark(button, isWaiting) {
  const sign = (mark, words) => make("span", { class: "button-mark", role: "img", "aria-label": words, title: words }, mark);
  if (isWaiting) return sign("…", say("waitsForBot"));
  if (button.url) return sign("↗", say("opensLink"));
  if (button.copy_text) return sign("📋", say("copiesText"));
  return null;
}

function press(button, { element, message, chat }) {
  if (button.callback_data !== undefined) chat.tap(message.message_id, button.callback_data);
  else if (button.url) chat.follow(button.url, element);
  else if (button.copy_text) chat.copy(button.copy_text.text);
  else chat.tell(say("buttonUnknown"));
}
