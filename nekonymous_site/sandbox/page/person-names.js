/** What a person is called on the page: those of the same name are told apart by a number. */

import { state } from "./state.js";
import { number } from "./words.js";

/** The name; from the second of a name on with a number, in the order they were made up. */
export function nameOf(/** @type {import("./state.js").Person} */ person) {
  const namesakes = state.people.filter((one) => one.first_name === person.first_name);
  const index = namesakes.findIndex((one) => one.id === person.id);
  return index < 1 ? person.first_name : `${person.first_name} ${number(index + 1)}`;
}
