/** The head of a column: who this is, the address field, and what they can do besides writing. */

import { isolate, make, makeButton } from "./element.js";
import { openMenu } from "./menus.js";
import { nameOf } from "./person-names.js";
import { openSampleDialog } from "./sample-dialog.js";
import { patch } from "./sandbox-client.js";
import { announce } from "./state.js";
import { readStartLink } from "./start-links.js";
import { languageName, say } from "./words.js";

const LANGUAGES = ["fa", "en", "de", "ar"];

/** @param {import("./chat-column.js").ChatColumn} column */
export function drawColumnHead(column, titleId) {
  const { person } = column;
  return make(
    "header",
    { class: "column-head" },
    make(
      "div",
      { class: "who" },
      drawFace(person),
      make("div", { class: "who-words" }, make("h2", { id: titleId }, isolate(nameOf(person))), make("div", { class: "standing" }, describeStanding(person))),
      drawLanguageChoice(column),
      makeButton({ class: "icon-button", "aria-label": say("moreFor", { name: nameOf(person) }), "aria-haspopup": "menu", on: { click: (event) => offerMore(column, event.currentTarget) } }, "⋯"),
    ),
    drawAddressField(column),
  );
}

/** A round stand-in for a picture. */
export function drawFace(/** @type {import("./state.js").Person} */ person) {
  const face = make("span", { class: "face", "aria-hidden": "true" }, [...person.first_name][0] ?? "?");
  face.style.setProperty("--hue", String((person.id * 47) % 360));
  return face;
}

function describeStanding(person) {
  if (person.has_left) return say("standingLeft");
  return say(person.has_blocked_bot ? "standingBlocked" : "standingHere");
}

function drawLanguageChoice(column) {
  const { person } = column;
  const codes = [...new Set([...LANGUAGES, ...(person.language_code ? [person.language_code] : [])])];
  const options = codes.map((code) => make("option", { value: code, selected: code === person.language_code }, languageName(code)));
  const choice = make("select", { class: "quiet", "aria-label": say("telegramLanguage"), title: say("telegramLanguage") }, options);
  choice.addEventListener("change", async () => {
    try {
      await patch(`people/${person.id}`, { language_code: choice.value });
      column.tell(say("languageNoted"));
    } catch (refused) {
      column.tell(/** @type {Error} */ (refused).message, "refusal");
    }
  });
  return choice;
}

function drawAddressField(column) {
  const field = make("input", { type: "text", class: "address", dir: "ltr", inputmode: "url", autocomplete: "off", spellcheck: "false", placeholder: "t.me/…?start=…", "aria-label": say("addressOf", { name: nameOf(column.person) }) });
  const open = () => {
    const link = readStartLink(field.value);
    if (!link) {
      column.tell(say("noStartLink"), "refusal");
      return;
    }
    field.value = "";
    column.openAs(column.person, link.slug);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open();
  });
  return make("div", { class: "address-line" }, field, makeButton({ on: { click: open } }, say("open")));
}

function offerMore(column, opener) {
  const { person } = column;
  const items = [
    { words: [say("sendSample")], act: () => openSampleDialog(column) },
    person.has_blocked_bot
      ? { words: [say("unblock")], act: () => column.act("unblock") }
      : { words: [say("block")], act: () => column.act("block") },
    person.has_left ? null : { words: [say("leave")], act: () => column.act("leave") },
    { words: [say("hideColumn")], act: () => announce("hide", person) },
  ];
  openMenu(opener, {
    label: say("moreFor", { name: nameOf(person) }),
    head: make("div", { class: "menu-head" }, isolate(`${nameOf(person)} · ${person.id}`)),
    items: items.filter((item) => item !== null),
  });
}
