/** A chat's messages in order. Only what has changed is drawn anew, and nothing jumps. */

import { make } from "./element.js";
import { drawMessage } from "./message-bubble.js";
import { state } from "./state.js";
import { calendarDay, pageLanguage } from "./words.js";

const GROUP_SECONDS = 300;
const NEAR_END_PIXELS = 80;

export class MessageList {
  /** @param {HTMLElement} log the scrolling element */
  constructor(log, /** @type {import("./message-bubble.js").Chat} */ chat) {
    this.log = log;
    this.chat = chat;
    /** @type {Map<string, {signature: string, element: HTMLElement}>} */
    this.drawn = new Map();
    /** The message that Tab comes to; the newest one unless somebody has gone to another. */
    this.currentKey = null;
    this.followsNewest = true;
    /** Whether the end was in sight when the log was last scrolled: it stays so whatever grows beside it. */
    this.staysAtEnd = true;
    this.seenHeight = 0;
    log.addEventListener("scroll", () => this.noteScroll());
    new ResizeObserver(() => this.takeSize()).observe(log);
    log.addEventListener("keydown", (event) => this.moveByKey(event));
    log.addEventListener("focusin", (event) => this.takeFocus(event));
  }

  /** Show these messages; scrolls only if the end was in sight, and keeps the focus where it was. */
  show(/** @type {any[]} */ messages, /** @type {(messageId: number) => string} */ marksOf) {
    const wasAtEnd = this.staysAtEnd;
    const anchor = wasAtEnd ? null : this.findAnchor();
    const focused = this.rememberFocus();
    const items = this.arrange(messages, marksOf);
    const kept = new Map();
    const nodes = items.map((item) => {
      const known = this.drawn.get(item.key);
      const element = known?.signature === item.signature ? known.element : item.draw();
      kept.set(item.key, { signature: item.signature, element });
      return element;
    });
    this.drawn = kept;
    this.place(nodes);
    this.setCurrent(this.followsNewest || !kept.has(this.currentKey ?? "") ? lastMessageKey(items) : this.currentKey);
    this.restoreFocus(focused);
    if (wasAtEnd) this.scrollToEnd();
    else if (anchor) this.restoreAnchor(anchor);
  }

  isAtEnd() {
    return this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR_END_PIXELS;
  }

  /** Nobody has scrolled where only the size has changed. */
  noteScroll() {
    if (this.log.clientHeight === this.seenHeight) this.staysAtEnd = this.isAtEnd();
  }

  takeSize() {
    this.seenHeight = this.log.clientHeight;
    if (this.staysAtEnd) this.scrollToEnd();
  }

  scrollToEnd() {
    this.staysAtEnd = true;
    this.log.scrollTop = this.log.scrollHeight;
  }

  /** Bring a message into sight, mark it for a moment and go to it. */
  showMessage(/** @type {number} */ messageId) {
    const element = this.findElement(messageId);
    if (!element) return false;
    element.scrollIntoView({ block: "center" });
    element.classList.remove("pointed-at");
    requestAnimationFrame(() => element.classList.add("pointed-at"));
    element.focus({ preventScroll: true });
    return true;
  }

  findElement(/** @type {number} */ messageId) {
    const own = this.log.querySelector(`[data-message-id="${messageId}"], [data-of="${messageId}"]`);
    return /** @type {HTMLElement | null} */ (own?.closest("article") ?? null);
  }

  /** Messages with those of an album together, and the days between them. */
  arrange(messages, marksOf) {
    const blocks = gatherAlbums(messages);
    return blocks.flatMap((block, index) => {
      const [first] = block;
      const before = blocks[index - 1]?.at(-1);
      const after = blocks[index + 1]?.[0];
      const isFirst = !before || !belongTogether(before, first);
      const isLast = !after || !belongTogether(block.at(-1), after);
      const signature = [state.run, pageLanguage(), isFirst, isLast, ...block.map((one) => `${one.revision}${marksOf(one.message_id)}`)].join();
      const item = {
        key: `m${first.message_id}`,
        signature,
        draw: () => drawMessage(block, { isFirst, isLast, chat: this.chat }),
      };
      return before && isSameDay(before, first) ? [item] : [drawDay(first), item];
    });
  }

  /** Bring the children into this order, touching only what is not there already. */
  place(/** @type {HTMLElement[]} */ nodes) {
    let next = this.log.firstChild;
    const wanted = new Set(nodes);
    for (const node of nodes) {
      while (next && !wanted.has(/** @type {HTMLElement} */ (next))) {
        const gone = next;
        next = next.nextSibling;
        gone.remove();
      }
      if (next === node) next = next.nextSibling;
      else this.log.insertBefore(node, next);
    }
    while (next) {
      const gone = next;
      next = next.nextSibling;
      gone.remove();
    }
  }

  findAnchor() {
    const top = this.log.getBoundingClientRect().top;
    for (const [key, { element }] of this.drawn) {
      const box = element.getBoundingClientRect();
      if (box.bottom > top) return { key, offset: box.top };
    }
    return null;
  }

  restoreAnchor({ key, offset }) {
    const element = this.drawn.get(key)?.element;
    if (element) this.log.scrollTop += element.getBoundingClientRect().top - offset;
  }

  rememberFocus() {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const article = focused?.closest("article[data-message-id]");
    if (!focused || !article || !this.log.contains(article)) return null;
    return { id: /** @type {HTMLElement} */ (article).dataset.messageId, key: focused.dataset.focusKey };
  }

  restoreFocus(focused) {
    if (!focused || this.log.contains(document.activeElement)) return;
    const article = this.drawn.get(`m${focused.id}`)?.element;
    const same = focused.key === "message" ? null : article?.querySelector(`[data-focus-key="${focused.key}"]`);
    /** @type {HTMLElement | undefined} */ (same ?? article)?.focus({ preventScroll: true });
  }

  /** Let Tab come to one message and what is in it; the arrow keys lead to the others. */
  setCurrent(/** @type {string | null} */ key) {
    this.currentKey = key;
    for (const [itemKey, { element }] of this.drawn) {
      if (!itemKey.startsWith("m")) continue;
      const index = itemKey === key ? 0 : -1;
      element.tabIndex = index;
      for (const part of element.querySelectorAll("button, [role=button], pre")) part.tabIndex = index;
    }
  }

  takeFocus(event) {
    const article = event.target.closest("article[data-message-id]");
    if (!article) return;
    const key = `m${article.dataset.messageId}`;
    this.followsNewest = key === [...this.drawn.keys()].at(-1);
    if (key !== this.currentKey) this.setCurrent(key);
  }

  moveByKey(event) {
    const steps = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    const article = event.target.closest("article[data-message-id]");
    if (!article) return;
    const all = [...this.drawn].filter(([key]) => key.startsWith("m")).map(([, { element }]) => element);
    const position = all.indexOf(article) + steps[event.key];
    event.preventDefault();
    const goal = all[Math.min(Math.max(position, 0), all.length - 1)];
    goal.focus({ preventScroll: true });
    goal.scrollIntoView({ block: "nearest" });
  }
}

function lastMessageKey(items) {
  return items.filter((item) => item.key.startsWith("m")).at(-1)?.key ?? null;
}

function gatherAlbums(messages) {
  const blocks = [];
  for (const message of messages) {
    const group = message.message.media_group_id;
    const last = blocks.at(-1);
    if (group && last?.[0].message.media_group_id === group) last.push(message);
    else blocks.push([message]);
  }
  return blocks;
}

function belongTogether(one, next) {
  return one.from_bot === next.from_bot && next.message.date - one.message.date < GROUP_SECONDS && isSameDay(one, next);
}

const dayOf = (message) => new Date(message.message.date * 1000).toDateString();
const isSameDay = (one, other) => dayOf(one) === dayOf(other);

function drawDay(message) {
  const day = calendarDay(message.message.date);
  return { key: `d${message.message_id}`, signature: day, draw: () => make("div", { class: "day" }, make("span", {}, day)) };
}
