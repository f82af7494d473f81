/** One message, or one album, as an element. */

import { renderText } from "./entities.js";
import { isolate, make, makeButton } from "./element.js";
import { drawInlineKeyboard } from "./inline-keyboard.js";
import { drawMarks, drawMedium, kindName } from "./media-drawing.js";
import { nameOf } from "./person-names.js";
import { clockTime, say } from "./words.js";

const SNIPPET_LENGTH = 80;

/**
 * @typedef {import("./entities.js").Surroundings & {
 *   person: import("./state.js").Person,
 *   find: (messageId: number) => any,
 *   reply: (messageId: number) => void, react: (messageId: number, from: HTMLElement) => void,
 *   setReaction: (messageId: number, emoji: string | null) => void,
 *   edit: (messageId: number) => void, remove: (messageId: number) => void,
 *   showOriginal: (messageId: number) => void,
 *   tap: (messageId: number, data: string) => void, isWaiting: (messageId: number, data: string) => boolean,
 *   within: (messageId: number) => import("./entities.js").Surroundings,
 * }} Chat
 */

/**
 * @param {any[]} messages one, or the items of an album
 * @param {{isFirst: boolean, isLast: boolean, chat: Chat}} options
 */
export function drawMessage(messages, { isFirst, isLast, chat }) {
  const [first] = messages;
  const side = first.from_bot ? "from-bot" : "from-person";
  const group = `${isFirst ? " first" : ""}${isLast ? " last" : ""}`;
  const bubble = make(
    "div",
    { class: `bubble${isBare(messages) ? " bare" : ""}` },
    drawQuote(first, chat),
    drawContents(messages, chat),
    drawMeta(messages),
    drawReactions(messages, chat),
  );
  const article = make(
    "article",
    {
      class: `message ${side}${group}`,
      "data-message-id": first.message_id,
      "aria-label": labelOf(messages, chat),
      tabindex: -1,
      "data-focus-key": "message",
    },
    make("div", { class: "bubble-line" }, bubble, drawActions(messages, chat)),
    drawInlineKeyboard(messages.at(-1), chat),
  );
  // A double click that chooses a word is not meant for the message.
  bubble.addEventListener("dblclick", (event) => {
    if (!(/** @type {Element} */ (event.target).closest("button, [role=button], a"))) chat.reply(first.message_id);
  });
  return article;
}

/** A few words that stand for a message in a quotation. */
export function snippetOf(/** @type {any} */ message) {
  if (!message) return say("messageGone");
  const line = message.text.replaceAll("\n", " ");
  const words = line.length > SNIPPET_LENGTH ? `${[...line].slice(0, SNIPPET_LENGTH).join("")}…` : line;
  if (message.entities.some((entity) => entity.type === "spoiler")) return say("spoilerHidden");
  return words || kindName(message.kind);
}

export const speakerOf = (message, chat) => (message?.from_bot ? say("bot") : nameOf(chat.person));

function labelOf(messages, chat) {
  const [first] = messages;
  const kind = messages.length > 1 ? say("album", { count: messages.length }) : first.kind === "text" ? "" : kindName(first.kind);
  return [speakerOf(first, chat), kind, clockTime(first.message.date)].filter(Boolean).join(", ");
}

function isBare(messages) {
  const kinds = ["sticker", "video_note", "dice"];
  return messages.length === 1 && kinds.includes(messages[0].kind) && !messages[0].reply_to_message_id;
}

function drawQuote(message, chat) {
  if (!message.reply_to_message_id) return null;
  const original = chat.find(message.reply_to_message_id) ?? null;
  const quote = makeButton(
    { class: "quote", "data-focus-key": "quote", title: say("showOriginal") },
    isolate(original ? speakerOf(original, chat) : say("messageGone"), { class: "quote-name" }),
    original ? make("span", { class: "quote-words", dir: "auto" }, snippetOf(original)) : null,
  );
  quote.addEventListener("click", () => chat.showOriginal(message.reply_to_message_id));
  return quote;
}

function drawContents(messages, chat) {
  const media = messages.map((message) => drawMedium(message, chat.within(message.message_id)));
  const isGrid = ["photo", "video"].includes(messages[0].kind);
  const medium =
    messages.length > 1
      ? make("div", { class: isGrid ? `album grid-${Math.min(messages.length, 5)}` : "album list" }, media)
      : media[0];
  const captions = messages.filter((message) => message.text).map((message) => drawWords(message, chat));
  const above = messages[0].message.show_caption_above_media;
  return above ? [captions, medium].flat() : [medium, captions].flat();
}

function drawWords(message, chat) {
  const nodes = renderText(message.text, message.entities, chat.within(message.message_id));
  return make("div", { class: "words", dir: "auto", "data-of": message.message_id }, nodes);
}

function drawMeta(messages) {
  const last = messages.at(-1);
  const marks = drawMarks({
    is_edited: messages.some((message) => message.is_edited),
    is_silent: last.is_silent,
    is_protected: last.is_protected,
  });
  const moment = new Date(last.message.date * 1000).toISOString();
  return make("div", { class: "meta" }, marks, make("time", { datetime: moment }, clockTime(last.message.date)));
}

function drawReactions(messages, chat) {
  const chips = messages.flatMap((message) => [
    ...emojiOf(message.reactions).map((emoji) => drawBotReaction(emoji)),
    ...emojiOf(message.person_reactions).map((emoji) => drawOwnReaction(message, emoji, chat)),
  ]);
  return chips.length > 0 ? make("div", { class: "reactions" }, chips) : null;
}

/** The emoji a person or the bot has put to a message, in whatever form the sandbox tells them. */
export function emojiOf(/** @type {any} */ reactions) {
  return (reactions ?? []).map((one) => (typeof one === "string" ? one : one.emoji)).filter(Boolean);
}

function drawBotReaction(emoji) {
  const label = say("reactionOfBot", { emoji });
  return make("span", { class: "reaction by-bot", role: "img", "aria-label": label, title: label }, emoji, make("span", { class: "reaction-by" }, "bot"));
}

function drawOwnReaction(message, emoji, chat) {
  const label = say("takeReactionAway", { emoji });
  const chip = makeButton(
    { class: "reaction own", "aria-label": label, title: label, "data-focus-key": "reaction" },
    emoji,
    make("span", { class: "reaction-by" }, [...chat.person.first_name][0]),
  );
  chip.addEventListener("click", () => chat.setReaction(message.message_id, null));
  return chip;
}

function drawActions(messages, chat) {
  const [first] = messages;
  const id = first.message_id;
  const action = (key, sign, act) =>
    makeButton({ class: "action", "aria-label": say(key), title: say(key), tabindex: -1, "data-focus-key": key, on: { click: (event) => act(event.currentTarget) } }, sign);
  const isText = first.kind === "text" || first.text;
  return make(
    "div",
    { class: "actions" },
    action("reply", "↩", () => chat.reply(id)),
    action("react", "☺", (from) => chat.react(id, from)),
    !first.from_bot && isText ? action("edit", "✎", () => chat.edit(id)) : null,
    first.from_bot ? null : action("remove", "🗑", () => messages.forEach((message) => chat.remove(message.message_id))),
  );
}
