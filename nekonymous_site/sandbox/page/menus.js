/** Small menus beside what opens them, notes that pass by, and dialogs. */

import { make, makeButton } from "./element.js";
import { say } from "./words.js";

const NOTE_MILLISECONDS = 5_000;
const MOST_NOTES = 3;
const EDGE_PIXELS = 8;

/**
 * Open a menu; arrow keys move in it, Escape and a click elsewhere close it, then the focus goes back.
 * @param {HTMLElement} opener
 * @param {{label: string, head?: Node | null, items: {words: any, act: () => void, label?: string}[], grid?: boolean}} content
 */
export function openMenu(opener, { label, head = null, items, grid = false }) {
  const menu = make("div", { class: `menu${grid ? " grid" : ""}`, popover: "auto", role: "menu", "aria-label": label }, head);
  const close = () => menu.hidePopover();
  for (const { words, act, label: itemLabel } of items) {
    const choose = () => {
      close();
      act();
    };
    menu.append(makeButton({ class: "menu-item", role: "menuitem", tabindex: -1, "aria-label": itemLabel, on: { click: choose } }, words));
  }
  menu.addEventListener("keydown", (event) => moveInMenu(menu, event, close));
  menu.addEventListener("toggle", (event) => {
    if (/** @type {any} */ (event).newState !== "closed") return;
    menu.remove();
  });
  document.body.append(menu);
  opener.focus({ preventScroll: true });
  menu.showPopover();
  putBeside(menu, opener);
  /** @type {HTMLElement | null} */ (menu.querySelector("[role=menuitem]"))?.focus();
}

function moveInMenu(menu, event, close) {
  const items = [...menu.querySelectorAll("[role=menuitem]")];
  const here = items.indexOf(document.activeElement);
  const next = { ArrowDown: here + 1, ArrowRight: here + 1, ArrowUp: here - 1, ArrowLeft: here - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Tab") close();
  if (next === undefined) return;
  event.preventDefault();
  items[(next + items.length) % items.length].focus();
}

function putBeside(menu, opener) {
  const from = opener.getBoundingClientRect();
  const size = menu.getBoundingClientRect();
  const below = from.bottom + 4;
  const top = below + size.height > innerHeight - EDGE_PIXELS ? from.top - size.height - 4 : below;
  const left = document.dir === "rtl" ? from.right - size.width : from.left;
  menu.style.top = `${Math.max(EDGE_PIXELS, top)}px`;
  menu.style.left = `${Math.min(Math.max(EDGE_PIXELS, left), innerWidth - size.width - EDGE_PIXELS)}px`;
}

/** Show a note for some seconds over the chat that it belongs to. */
export function showNote(/** @type {HTMLElement} */ place, /** @type {string} */ words, kind = "toast") {
  const note = make("div", { class: `note ${kind}`, dir: "auto" }, words);
  place.append(note);
  while (place.children.length > MOST_NOTES) place.firstElementChild?.remove();
  setTimeout(() => note.remove(), NOTE_MILLISECONDS);
}

/**
 * Open a dialog; the focus stays inside until it is closed by a button or Escape, then goes back.
 * @param {{title: string, body: (Node | string)[], buttons?: {words: string, act: () => void}[], role?: string}} content
 * @returns {HTMLDialogElement}
 */
export function openDialog({ title, body, buttons = [], role = "dialog" }) {
  const findOpener = rememberPlace(/** @type {HTMLElement} */ (document.activeElement));
  const heading = make("h2", { id: `dialog-${crypto.randomUUID()}` }, title);
  const actions = buttons.map(({ words, act }) => makeButton({ class: "strong", on: { click: act } }, words));
  const closing = makeButton({ on: { click: () => dialog.close() } }, say("close"));
  const dialog = make("dialog", { role, "aria-labelledby": heading.id }, heading, body, make("div", { class: "dialog-buttons" }, actions, closing));
  dialog.addEventListener("keydown", (event) => keepFocusInside(dialog, event));
  dialog.addEventListener("close", () => {
    dialog.remove();
    findOpener()?.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** How to find an element again, even if its message has been drawn anew meanwhile. */
function rememberPlace(/** @type {HTMLElement} */ element) {
  const column = element.closest("[data-person]");
  const message = /** @type {HTMLElement | null} */ (element.closest("[data-message-id]"))?.dataset.messageId;
  const same = `[data-message-id="${message}"] [data-focus-key="${element.dataset.focusKey}"]`;
  return () => /** @type {HTMLElement | null | undefined} */ (element.isConnected ? element : column?.querySelector(same));
}

function keepFocusInside(dialog, event) {
  if (event.key !== "Tab") return;
  const reachable = [...dialog.querySelectorAll("button, input, select, textarea")].filter((one) => !one.disabled);
  const edge = event.shiftKey ? reachable[0] : reachable.at(-1);
  if (document.activeElement !== edge) return;
  event.preventDefault();
  (event.shiftKey ? reachable.at(-1) : reachable[0]).focus();
}

/** A text that the bot wants to be seen and closed by hand. */
export function showAlert(/** @type {string} */ name, /** @type {string} */ words) {
  openDialog({ title: say("alertFor", { name }), body: [make("p", { dir: "auto" }, words)], role: "alertdialog" });
}
