/** Everybody made up, each with a button that shows or hides their chat; and a way to make another one up. */

import { isolate, make, makeButton } from "./element.js";
import { drawFace } from "./column-head.js";
import { openDialog } from "./menus.js";
import { nameOf } from "./person-names.js";
import { post } from "./sandbox-client.js";
import { state } from "./state.js";
import { languageName, say } from "./words.js";

const LANGUAGES = ["fa", "en", "de", "ar"];

/**
 * @param {HTMLElement} place
 * @param {{isShown: (id: number) => boolean, toggle: (id: number) => void}} columns
 */
export function showPeopleBar(place, { isShown, toggle }) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.barPerson;
  const buttons = state.people.map((person) =>
    makeButton(
      { class: "person-button", "aria-pressed": String(isShown(person.id)), "data-bar-person": person.id, on: { click: () => toggle(person.id) } },
      drawFace(person),
      isolate(nameOf(person)),
    ),
  );
  const add = makeButton({ class: "person-button add", "data-bar-person": "add", on: { click: openAddDialog } }, "+ ", say("addPerson"));
  place.replaceChildren(...buttons, add);
  if (focused) /** @type {HTMLElement | null} */ (place.querySelector(`[data-bar-person="${focused}"]`))?.focus();
}

function openAddDialog() {
  const name = make("input", { type: "text", dir: "auto", maxlength: 64, autocomplete: "off", autofocus: true });
  const language = make("select", {}, LANGUAGES.map((code) => make("option", { value: code }, languageName(code))));
  const trouble = make("p", { class: "trouble", role: "alert" });
  const add = async () => {
    if (!name.value.trim()) {
      trouble.textContent = say("nameMissing");
      name.focus();
      return;
    }
    try {
      await post("people", { first_name: name.value.trim(), language_code: language.value });
      dialog.close();
    } catch (refused) {
      trouble.textContent = /** @type {Error} */ (refused).message;
    }
  };
  name.addEventListener("keydown", (event) => event.key === "Enter" && add());
  const field = (key, input) => make("label", { class: "field" }, make("span", {}, say(key)), input);
  const dialog = openDialog({
    title: say("addPerson"),
    body: [field("personName", name), field("telegramLanguage", language), trouble],
    buttons: [{ words: say("add"), act: add }],
  });
}

/** Make the two people of the story up. */
export async function makeUpTwo() {
  await post("people", { first_name: say("ownerName"), language_code: document.documentElement.lang });
  await post("people", { first_name: "Adam", language_code: "en" });
}
