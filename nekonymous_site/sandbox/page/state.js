/** What the page knows, and the news about it. */

/**
 * @typedef {{id: number, first_name: string, language_code: string | null, username: string | null,
 *   has_blocked_bot: boolean, has_left?: boolean}} Person
 */

export const state = {
  /** @type {Person[]} in the order they were made up */
  people: [],
  /** @type {any} what the sandbox can do */
  abilities: {},
  /** @type {any} faults, and how the bot takes its updates */
  traffic: null,
  /** The mark of the sandbox's run: after another start the same numbers may mean something else. */
  run: "",
  /** @type {"waiting" | "live" | "asking" | "lost"} */
  connection: "waiting",
};

const news = new EventTarget();

/** Tell whoever listens. */
export function announce(/** @type {string} */ name, /** @type {any} */ detail = null) {
  news.dispatchEvent(new CustomEvent(name, { detail }));
}

/** Listen: people, chats, traffic, connection, language, seen (a chat was fetched). */
export function listen(/** @type {string} */ name, /** @type {(detail: any) => void} */ listener) {
  news.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail));
}

export const findPerson = (/** @type {number} */ id) => state.people.find((person) => person.id === id);
