/** A story to try in three steps. It watches whether they have been taken; nobody takes them but the reader. */

import { make, makeButton } from "./element.js";
import { nameOf } from "./person-names.js";
import { readStartLink } from "./start-links.js";
import { say, sayParts } from "./words.js";

const DISMISSED_AS = "story-dismissed";
const BEGUN_AS = "story-begun";
// So much written by people means that they know their way.
const MUCH_WRITTEN = 10;

export class StoryCard {
  constructor(/** @type {HTMLElement} */ place, /** @type {() => import("./chat-column.js").ChatColumn[]} */ columns) {
    this.place = place;
    this.columns = columns;
    /** Opened by hand; null while it is shown or hidden by itself. */
    this.isWanted = sessionStorage.getItem(DISMISSED_AS) ? false : null;
  }

  toggle() {
    this.isWanted = this.place.hidden;
    this.show();
    if (this.isWanted) this.place.querySelector("button")?.focus();
  }

  show() {
    const [owner, visitor] = this.columns();
    const taken = owner && visitor ? watchSteps(owner.view, { owner: listNew(owner), visitor: listNew(visitor) }) : [false, false, false];
    const written = this.columns().flatMap((column) => column.view.messages).filter((message) => !message.from_bot).length;
    this.place.hidden = !(this.isWanted ?? (written < MUCH_WRITTEN && !taken[2]));
    if (this.place.hidden || !owner || !visitor) {
      if (!owner || !visitor) this.place.hidden = true;
      return;
    }
    const names = { owner: nameOf(owner.person), visitor: nameOf(visitor.person) };
    const key = JSON.stringify([names, taken, say("storyTitle")]);
    if (key === this.key) return;
    this.key = key;
    const steps = ["storyFirst", "storySecond", "storyThird"].map((step, index) =>
      make("li", { class: taken[index] ? "taken" : null }, sayParts(step, names), taken[index] ? make("span", { class: "taken-words" }, ` ✓ ${say("storyTaken")}`) : null),
    );
    const dismiss = makeButton({ class: "icon-button", "aria-label": say("storyHide"), title: say("storyHide"), on: { click: () => this.dismiss() } }, "✕");
    this.place.replaceChildren(make("h2", {}, say("storyTitle")), make("ol", {}, steps), dismiss);
  }

  dismiss() {
    sessionStorage.setItem(DISMISSED_AS, "yes");
    this.isWanted = false;
    this.show();
    document.getElementById("help")?.focus();
  }
}

/** Which of the three steps show in the two chats: a link, and since the page is open something written by it, an answer. */
function watchSteps(view, fresh) {
  const hasLink = view.messages.some((message) => message.from_bot && linksOf(message).some((link) => readStartLink(link)));
  const opened = fresh.visitor.findIndex((message) => !message.from_bot && message.text.startsWith("/start "));
  const hasWritten = opened >= 0 && fresh.visitor.slice(opened + 1).some(isWords);
  const received = fresh.owner.findIndex((message) => message.from_bot && message.is_protected);
  const hasAnswered = received >= 0 && fresh.owner.slice(received + 1).some(isWords);
  return [hasLink, hasWritten, hasAnswered];
}

/** What stands in a chat since this page was first open: what others did before is not the reader's doing. */
function listNew(column) {
  const { messages, revision } = column.view;
  if (revision < 0) return [];
  const name = `${BEGUN_AS}-${column.person.id}`;
  if (sessionStorage.getItem(name) === null) sessionStorage.setItem(name, String(messages.at(-1)?.message_id ?? 0));
  const last = Number(sessionStorage.getItem(name));
  return messages.filter((message) => message.message_id > last);
}

const isWords = (message) => !message.from_bot && !message.text.startsWith("/");

function linksOf(message) {
  const targets = message.entities.map((entity) => entity.url ?? message.text.slice(entity.offset, entity.offset + entity.length));
  const buttons = message.buttons.flat().map((button) => button.url ?? button.copy_text?.text ?? "");
  return [...targets, ...buttons];
}
