/** Where there is room for one chat only: a tab for each that is shown. */

import { drawFace } from "./column-head.js";
import { isolate, makeButton } from "./element.js";
import { nameOf } from "./person-names.js";

/**
 * @param {HTMLElement} place
 * @param {{columns: import("./chat-column.js").ChatColumn[], front: number, choose: (id: number) => void}} options
 */
export function drawTabs(place, { columns, front, choose }) {
  const hadFocus = place.contains(document.activeElement);
  const tabs = columns.map(({ person, element }) => {
    const isFront = person.id === front;
    element.id = `column-${person.id}`;
    return makeButton(
      {
        role: "tab",
        "aria-selected": String(isFront),
        "aria-controls": element.id,
        tabindex: isFront ? 0 : -1,
        on: { click: () => choose(person.id) },
      },
      drawFace(person),
      isolate(nameOf(person)),
    );
  });
  place.onkeydown = (event) => moveBetween(columns, { front, choose, event });
  place.replaceChildren(...tabs);
  if (hadFocus) /** @type {HTMLElement | null} */ (place.querySelector("[aria-selected=true]"))?.focus();
}

function moveBetween(columns, { front, choose, event }) {
  const forward = document.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined || columns.length === 0) return;
  event.preventDefault();
  const here = columns.findIndex(({ person }) => person.id === front);
  const next = here + (event.key === forward ? 1 : -1);
  choose(columns[(next + columns.length) % columns.length].person.id);
}
