/** Where a person writes: the field, what is replied to or edited, and the keyboard in its place. */

import { isolate, make, makeButton } from "./element.js";
import { snippetOf, speakerOf } from "./message-bubble.js";
import { splitPastedText } from "./pasted-text.js";
import { nameOf } from "./person-names.js";
import { drawReplyKeyboard } from "./reply-keyboard.js";
import { openSampleDialog } from "./sample-dialog.js";
import { offerCommands } from "./bot-commands.js";
import { state } from "./state.js";
import { say } from "./words.js";

export class Composer {
  constructor(/** @type {import("./chat-column.js").ChatColumn} */ column) {
    this.column = column;
    /** @type {{kind: "reply" | "edit", messageId: number} | null} */
    this.about = null;
    /** What stood in the field before a message was edited there. */
    this.draft = "";
    this.showsKeyboard = true;
    this.keyboardKey = "";
    this.element = make("div", { class: "composer", role: "group" });
    this.aboutPlace = make("div", { class: "about-place" });
    this.keyboardPlace = make("div", { class: "keyboard-place" });
    this.field = make("textarea", { rows: 1, dir: "auto" });
    this.toggle = makeButton({ class: "icon-button", hidden: true, on: { click: () => this.toggleKeyboard() } }, "⌨");
    this.attach = makeButton({ class: "icon-button", on: { click: () => openSampleDialog(column) } }, "+");
    this.commands = makeButton({ class: "icon-button", "aria-haspopup": "menu", on: { click: () => offerCommands(column, this.commands) } }, "/");
    this.send = makeButton({ class: "send", on: { click: () => this.submit() } }, "➤");
    this.line = make("div", { class: "write-line" }, this.attach, this.commands, this.field, this.toggle, this.send);
    this.only = makeButton({ class: "only-button" });
    this.only.addEventListener("click", () => this.pressOnly());
    this.field.addEventListener("keydown", (event) => this.takeKey(event));
    this.element.append(this.aboutPlace, this.line, this.only, this.keyboardPlace);
  }

  speak() {
    const name = nameOf(this.column.person);
    this.element.setAttribute("aria-label", say("writingAs", { name }));
    this.field.setAttribute("aria-label", say("messageOf", { name }));
    this.field.placeholder = say("messageHint");
    for (const [button, key] of [[this.attach, "sendSample"], [this.commands, "commands"], [this.send, "send"], [this.toggle, "toggleKeyboard"]]) {
      button.setAttribute("aria-label", say(key));
      button.title = say(key);
    }
    this.keyboardKey = "";
    this.take(this.column.view);
    this.showAbout();
  }

  /** Follow what the chat has become. */
  take(view) {
    const { person } = this.column;
    const hasBegun = view.revision < 0 || view.messages.length > 0;
    const isOut = person.has_blocked_bot || person.has_left;
    this.only.hidden = !isOut && hasBegun;
    this.line.hidden = !this.only.hidden;
    this.only.textContent = say(person.has_left ? "standingLeft" : person.has_blocked_bot ? "unblock" : "start");
    this.only.disabled = Boolean(person.has_left);
    // What was typed outlives the message that it was about.
    if (this.about && !this.column.find(this.about.messageId)) this.leaveAbout({ keepsText: true });
    this.takeKeyboard(this.line.hidden ? [] : view.keyboard);
  }

  takeKeyboard(rows) {
    const key = JSON.stringify(rows);
    if (key !== this.keyboardKey) {
      this.keyboardKey = key;
      this.keyboardPlace.replaceChildren(...(rows.length > 0 ? [drawReplyKeyboard(rows, (label) => this.write(label))] : []));
    }
    this.toggle.hidden = rows.length === 0;
    this.toggle.setAttribute("aria-expanded", String(this.showsKeyboard));
    this.keyboardPlace.hidden = !this.showsKeyboard || rows.length === 0;
  }

  toggleKeyboard() {
    this.showsKeyboard = !this.showsKeyboard;
    this.take(this.column.view);
  }

  pressOnly() {
    if (this.column.person.has_blocked_bot) this.column.act("unblock");
    else this.write("/start");
  }

  replyTo(/** @type {number} */ messageId) {
    this.setAbout({ kind: "reply", messageId });
  }

  /** Change an own message: its text goes into the field, and what stood there comes back afterwards. */
  edit(/** @type {number} */ messageId) {
    if (this.about?.kind !== "edit") this.draft = this.field.value;
    this.field.value = this.column.find(messageId)?.text ?? "";
    this.setAbout({ kind: "edit", messageId });
  }

  setAbout(about) {
    this.about = about;
    this.showAbout();
    this.field.focus();
  }

  leaveAbout({ keepsText = false } = {}) {
    if (this.about?.kind === "edit") {
      this.field.value = keepsText ? [this.draft, this.field.value].filter(Boolean).join("\n") : this.draft;
      this.draft = "";
    }
    this.about = null;
    this.showAbout();
  }

  showAbout() {
    if (!this.about) {
      this.aboutPlace.replaceChildren();
      return;
    }
    const message = this.column.find(this.about.messageId);
    const title = this.about.kind === "edit" ? say("editing") : say("replyingTo", { name: speakerOf(message, this.column) });
    const leave = makeButton({ class: "icon-button", "aria-label": say("leaveReply"), title: say("leaveReply"), on: { click: () => { this.leaveAbout(); this.field.focus(); } } }, "✕");
    this.aboutPlace.replaceChildren(
      make("div", { class: "about" }, make("div", { class: "about-words" }, make("span", { class: "quote-name" }, title), isolate(snippetOf(message), { class: "quote-words" })), leave),
    );
  }

  takeKey(event) {
    if (event.key === "Escape" && this.about) {
      event.preventDefault();
      this.leaveAbout();
    }
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.submit();
  }

  async submit() {
    const text = this.field.value.trim();
    if (!text) return;
    const { about } = this;
    if (about?.kind === "edit") {
      const message = this.column.find(about.messageId);
      const named = message?.kind === "text" ? { text } : { caption: text };
      if (await this.column.act("edits", { message_id: about.messageId, ...named })) this.leaveAbout();
      return;
    }
    this.field.value = "";
    this.leaveAbout();
    const parts = splitPastedText(text, state.abilities.max_text_units);
    for (const [index, part] of parts.entries()) {
      const reply = about && index === 0 ? { reply_to_message_id: about.messageId } : {};
      const done = await this.write(part, reply);
      if (!done) {
        // What was not sent is not lost, nor what was typed meanwhile, nor which message it answers.
        this.field.value = [parts.slice(index).join("\n"), this.field.value].filter(Boolean).join("\n");
        if (about && index === 0 && !this.about && this.column.find(about.messageId)) this.setAbout(about);
        return;
      }
    }
  }

  write(/** @type {string} */ text, more = {}) {
    this.column.list.scrollToEnd();
    this.column.list.followsNewest = true;
    return this.column.act("messages", { text, ...more });
  }
}
