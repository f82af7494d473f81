/** The page: people side by side, each with their chat, and the sandbox's switches beside them. */

import { ChatColumn } from "./chat-column.js";
import { ControlPanel } from "./control-panel.js";
import { make, makeButton } from "./element.js";
import { keepUpToDate } from "./live-updates.js";
import { drawTabs } from "./column-tabs.js";
import { makeUpTwo, showPeopleBar } from "./people-bar.js";
import { get } from "./sandbox-client.js";
import { announce, findPerson, listen, state } from "./state.js";
import { StoryCard } from "./story-card.js";
import { pageLanguage, say, setPageLanguage, speakFrame } from "./words.js";

const PANEL_STORED_AS = "panel-open";
const COLUMNS_AT_FIRST = 2;
const WIDE_ENOUGH_FOR_PANEL = 1_440;

const place = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {Map<number, ChatColumn>} */
const columns = new Map();
/** People whose chat is shown, in order; null until the first people are known. @type {number[] | null} */
let shown = null;
let known = new Set();
/** The one shown where there is room for one only. */
let front = 0;

const shownColumns = () => (shown ?? []).map((id) => /** @type {ChatColumn} */ (columns.get(id)));
const panel = new ControlPanel(place("panel-body"));
const story = new StoryCard(place("story"), shownColumns);

async function openAs(person, slug) {
  bring(person.id);
  const column = columns.get(person.id);
  await column?.composer.write(`/start ${slug}`);
  // Before the first message there is nothing to write in.
  await column?.refresh();
  column?.composer.field.focus();
}

/** Show this person's chat, in front where there is room for one only. */
function bring(id) {
  if (!shown?.includes(id)) shown = [...(shown ?? []), id];
  front = id;
  arrange();
}

function toggle(id) {
  if (!shown?.includes(id)) bring(id);
  else hide(id);
}

function hide(id) {
  shown = (shown ?? []).filter((one) => one !== id);
  if (front === id) front = shown[0] ?? 0;
  arrange();
}

/** Bring columns, tabs and the bar of people to what is shown now. */
function arrange() {
  for (const id of shown ?? []) {
    if (columns.has(id)) continue;
    const column = new ChatColumn(/** @type {any} */ (findPerson(id)), openAs);
    columns.set(id, column);
    column.refresh();
  }
  const wanted = shownColumns();
  const area = place("columns");
  const elements = wanted.length > 0 ? wanted.map((column) => column.element) : [drawEmpty()];
  if (elements.some((element, index) => area.children[index] !== element) || area.children.length !== elements.length) {
    area.replaceChildren(...elements);
    for (const column of wanted) column.list.scrollToEnd();
  }
  for (const column of wanted) column.element.classList.toggle("front", column.person.id === front);
  showPeopleBar(place("people"), { isShown: (id) => Boolean(shown?.includes(id)), toggle });
  drawTabs(place("tabs"), { columns: wanted, front, choose: bring });
  story.show();
}

function drawEmpty() {
  if (state.people.length > 0) return make("p", { class: "empty" }, say("nobodyShown"));
  return make("div", { class: "empty" }, make("p", {}, say("nobodyYet")), makeButton({ class: "strong", on: { click: makeUpTwo } }, say("makeUpTwo")));
}

function takePeople() {
  const ids = state.people.map((person) => person.id);
  // Whoever was made up last comes into sight; of those there already, the last two.
  const fresh = shown === null ? ids.slice(-COLUMNS_AT_FIRST) : ids.filter((id) => !known.has(id));
  shown = [...(shown ?? []), ...fresh].filter((id) => ids.includes(id));
  known = new Set(ids);
  if (!shown.includes(front)) front = shown[0] ?? 0;
  for (const id of columns.keys()) {
    if (!known.has(id)) columns.delete(id);
  }
  for (const person of state.people) columns.get(person.id)?.takePerson(person);
  arrange();
}

function takeChats(/** @type {Record<string, number> | null} */ changed) {
  for (const column of columns.values()) {
    const revision = changed === null ? Infinity : changed[column.person.id];
    if (revision !== undefined && revision !== column.view.revision) column.refresh();
  }
}

function speak() {
  speakFrame();
  document.title = say("title");
  panel.speak();
  for (const column of columns.values()) column.speak();
  showConnection();
  arrange();
}

function showConnection() {
  const key = { waiting: "connectionWaiting", live: "connectionLive", asking: "connectionAsking", lost: "connectionLost" }[state.connection];
  const line = place("connection");
  line.textContent = say(key);
  line.dataset.connection = state.connection;
}

function showPanel(isOpen) {
  place("panel").hidden = !isOpen;
  place("panel-toggle").setAttribute("aria-expanded", String(isOpen));
  localStorage.setItem(PANEL_STORED_AS, String(isOpen));
  if (isOpen) panel.followCalls();
}

async function begin() {
  setPageLanguage(pageLanguage());
  speakFrame();
  state.abilities = await get("page-data");
  listen("people", takePeople);
  listen("chats", takeChats);
  listen("connection", showConnection);
  listen("hide", (person) => hide(person.id));
  listen("seen", () => story.show());
  place("language").addEventListener("click", () => {
    setPageLanguage(pageLanguage() === "fa" ? "en" : "fa");
    announce("language");
    speak();
  });
  place("help").addEventListener("click", () => story.toggle());
  place("panel-toggle").addEventListener("click", () => showPanel(place("panel").hidden));
  speak();
  const stored = localStorage.getItem(PANEL_STORED_AS);
  showPanel(stored === null ? innerWidth >= WIDE_ENOUGH_FOR_PANEL : stored === "true");
  keepUpToDate();
}

begin().catch((error) => {
  const line = place("connection");
  line.textContent = say("connectionLost");
  line.dataset.connection = "lost";
  console.error(error);
});
