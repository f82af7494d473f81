/** One person's chat with the bot: what it shows, and what the person does in it. */

import { Composer } from "./composer.js";
import { make, makeButton } from "./element.js";
import { drawColumnHead } from "./column-head.js";
import { openMenu, showAlert, showNote } from "./menus.js";
import { emojiOf } from "./message-bubble.js";
import { MessageList } from "./message-list.js";
import { nameOf } from "./person-names.js";
import { get, post } from "./sandbox-client.js";
import { announce, state } from "./state.js";
import { offerLink } from "./start-links.js";
import { say } from "./words.js";

// A tap that the bot does not answer stops looking as if it waited.
const TAP_MILLISECONDS = 30_000;
const FAVOURITE_EMOJI = ["👍", "❤", "🔥", "🥰", "👏", "😁", "🤔", "🎉", "😢", "🙏", "👌", "💯"];

export class ChatColumn {
  /**
   * @param {import("./state.js").Person} person
   * @param {(person: import("./state.js").Person, slug: string) => void} openAs
   */
  constructor(person, openAs) {
    this.person = person;
    this.openAs = openAs;
    this.view = { messages: [], toasts: [], keyboard: [], revision: -1 };
    /** Spoilers and quotations that this person has opened. */
    this.opened = new Set();
    /** Taps of this page that wait, by the message and the data. */
    this.taps = new Map();
    this.toldToasts = null;
    /** @type {Promise<void> | null} */
    this.fetching = null;
    this.mustFetchAgain = false;
    this.build();
  }

  build() {
    const titleId = `title-${this.person.id}`;
    this.element = make("section", { class: "column", "aria-labelledby": titleId, "data-person": this.person.id });
    this.log = make("div", { class: "log", role: "log", "aria-live": "polite", "aria-relevant": "additions", tabindex: 0 });
    this.notes = make("div", { class: "notes", role: "status", "aria-live": "polite" });
    this.toEnd = makeButton({ class: "to-end", hidden: true, on: { click: () => this.list.scrollToEnd() } }, "↓");
    this.list = new MessageList(this.log, this.makeChat());
    this.composer = new Composer(this);
    this.head = make("div", { class: "head-place" });
    this.log.addEventListener("scroll", () => (this.toEnd.hidden = this.list.isAtEnd()));
    this.log.addEventListener("keydown", (event) => this.actByKey(event));
    this.element.append(this.head, make("div", { class: "log-place" }, this.log, this.notes, this.toEnd), this.composer.element);
    this.speak(titleId);
  }

  /** Say everything in the page's language, of the person as they are now. */
  speak(titleId = `title-${this.person.id}`) {
    this.drawHead(titleId);
    this.log.setAttribute("aria-label", say("chatOf", { name: nameOf(this.person) }));
    this.toEnd.setAttribute("aria-label", say("toNewest"));
    this.composer.speak();
    this.show();
  }

  /** Draw the head anew; the address that somebody is typing stays, and so does the focus in it. */
  drawHead(titleId) {
    const old = this.head.querySelector(".address");
    const hadFocus = old !== null && old === document.activeElement;
    this.head.replaceChildren(drawColumnHead(this, titleId));
    const field = this.head.querySelector(".address");
    field.value = old?.value ?? "";
    if (hadFocus) field.focus({ preventScroll: true });
  }

  /** The person has changed: another language, blocked, gone. */
  takePerson(/** @type {import("./state.js").Person} */ person) {
    const changed = JSON.stringify(person) !== JSON.stringify(this.person);
    this.person = person;
    if (changed) this.speak();
  }

  /** Fetch the chat; asked for while that goes on, it is fetched once more. Ends when it is shown. */
  refresh() {
    this.mustFetchAgain = true;
    this.fetching ??= this.fetch().finally(() => (this.fetching = null));
    return this.fetching;
  }

  async fetch() {
    try {
      do {
        this.mustFetchAgain = false;
        this.view = await get(`people/${this.person.id}/chat`);
        const words = this.takeToasts();
        this.show();
        this.tellToasts(words);
        announce("seen", this);
      } while (this.mustFetchAgain);
    } catch {
      // The page says by itself that the sandbox does not answer, and asks again once it does.
    }
  }

  show() {
    this.list.chat.person = this.person;
    this.list.show(this.view.messages, (id) => this.marksOf(id));
    this.toEnd.hidden = this.list.isAtEnd();
    this.composer.take(this.view);
  }

  find(/** @type {number} */ messageId) {
    return this.view.messages.find((message) => message.message_id === messageId);
  }

  /** Do something in this person's name; a refusal is shown over the chat. */
  async act(/** @type {string} */ path, body = {}) {
    try {
      return await post(`people/${this.person.id}/${path}`, body);
    } catch (refused) {
      this.tell(/** @type {Error} */ (refused).message, "refusal");
      return null;
    }
  }

  tell(/** @type {string} */ words, kind = "toast") {
    showNote(this.notes, words, kind);
  }

  async copy(/** @type {string} */ words) {
    try {
      await navigator.clipboard.writeText(words);
      this.tell(say("copied"));
    } catch {
      this.tell(say("notCopied"), "refusal");
    }
  }

  async tap(/** @type {number} */ messageId, /** @type {string} */ data) {
    const key = `${messageId} ${data}`;
    if (this.taps.has(key)) return;
    this.taps.set(key, null);
    this.show();
    setTimeout(() => this.endTap(key), TAP_MILLISECONDS);
    const done = await this.act("taps", { message_id: messageId, callback_data: data });
    if (!done) this.endTap(key);
    else if (this.taps.has(key)) this.taps.set(key, done.callback_query_id);
    // The bot may have been faster than the answer to this request.
    await this.refresh();
  }

  endTap(/** @type {string} */ key) {
    if (this.taps.delete(key)) this.show();
  }

  /** End the taps that the bot has answered; returns the answers that came since the page was opened. */
  takeToasts() {
    const answered = this.view.toasts.filter((toast) => toast.is_answered);
    const told = this.toldToasts ?? new Set(answered.map((toast) => toast.callback_query_id));
    const fresh = answered.filter((toast) => !told.has(toast.callback_query_id));
    this.toldToasts = new Set(answered.map((toast) => toast.callback_query_id));
    for (const [key, id] of [...this.taps]) {
      if (this.toldToasts.has(id)) this.taps.delete(key);
    }
    return fresh.filter((toast) => toast.text);
  }

  tellToasts(toasts) {
    for (const toast of toasts) {
      if (toast.show_alert) showAlert(nameOf(this.person), toast.text);
      else this.tell(toast.text);
    }
  }

  /** What a message looks like depends on these besides itself. */
  marksOf(/** @type {number} */ messageId) {
    const waiting = [...this.taps.keys()].filter((key) => key.startsWith(`${messageId} `));
    const reactions = emojiOf(this.find(messageId)?.person_reactions);
    return JSON.stringify([waiting, reactions, nameOf(this.person)]);
  }

  within(/** @type {number} */ messageId) {
    const name = (key) => `${messageId}/${key}`;
    return {
      isOpen: (key) => this.opened.has(name(key)),
      setOpen: (key, isOpen) => void (isOpen ? this.opened.add(name(key)) : this.opened.delete(name(key))),
      follow: (url, opener) => this.follow(url, opener),
      sendCommand: (command) => void this.act("messages", { text: command }),
    };
  }

  follow(/** @type {string} */ url, /** @type {HTMLElement} */ opener) {
    offerLink(url, { opener, reader: this.person, openAs: this.openAs, copy: (words) => this.copy(words) });
  }

  offerReactions(/** @type {number} */ messageId, /** @type {HTMLElement} */ opener) {
    const allowed = new Set(state.abilities.reaction_emoji);
    const favourites = FAVOURITE_EMOJI.filter((emoji) => allowed.has(emoji));
    const others = state.abilities.reaction_emoji.filter((emoji) => !favourites.includes(emoji));
    const items = [...favourites, ...others].map((emoji) => ({
      words: [emoji],
      label: emoji,
      act: () => this.setReaction(messageId, emoji),
    }));
    openMenu(opener, { label: say("react"), items, grid: true });
  }

  setReaction(/** @type {number} */ messageId, /** @type {string | null} */ emoji) {
    return this.act("reactions", { message_id: messageId, emoji });
  }

  /** r: reply, e: edit, Delete: take away – on the message that has the focus. */
  actByKey(event) {
    const article = event.target.closest("article[data-message-id]");
    if (!article || event.target !== article || event.altKey || event.ctrlKey || event.metaKey) return;
    const messageId = Number(article.dataset.messageId);
    const isOwn = !this.find(messageId)?.from_bot;
    const acts = {
      r: () => this.composer.replyTo(messageId),
      e: () => isOwn && this.composer.edit(messageId),
      Delete: () => isOwn && this.act("deletions", { message_id: messageId }),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  makeChat() {
    const nothing = this.within(0);
    return {
      ...nothing,
      person: this.person,
      find: (id) => this.find(id),
      reply: (id) => this.composer.replyTo(id),
      react: (id, opener) => this.offerReactions(id, opener),
      setReaction: (id, emoji) => void this.setReaction(id, emoji),
      edit: (id) => this.composer.edit(id),
      remove: (id) => void this.act("deletions", { message_id: id }),
      showOriginal: (id) => this.list.showMessage(id) || this.tell(say("messageGone")),
      tap: (id, data) => void this.tap(id, data),
      isWaiting: (id, data) => this.taps.has(`${id} ${data}`),
      within: (id) => this.within(id),
      copy: (words) => void this.copy(words),
      tell: (words) => this.tell(words),
    };
  }
}

