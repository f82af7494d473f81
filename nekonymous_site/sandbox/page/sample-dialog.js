/** Sending one made-up example of every kind a person can send, albums and long texts. */

import { make, makeButton } from "./element.js";
import { kindName } from "./media-drawing.js";
import { openDialog } from "./menus.js";
import { makeLongText } from "./pasted-text.js";
import { nameOf } from "./person-names.js";
import { state } from "./state.js";
import { say } from "./words.js";

const ALBUMS = [
  { key: "albumPictures", kinds: ["photo", "video", "photo"] },
  { key: "albumDocuments", kinds: ["document", "document"] },
  { key: "albumSongs", kinds: ["audio", "audio"] },
];
const LONG_TEXT_UNITS = 9_000;

/** @param {import("./chat-column.js").ChatColumn} column */
export function openSampleDialog(column) {
  const caption = make("textarea", { rows: 2, dir: "auto" });
  const spoiler = make("input", { type: "checkbox" });
  const above = make("input", { type: "checkbox" });
  const choices = { caption, spoiler, above };
  const dialog = openDialog({
    title: say("sampleTitle", { name: nameOf(column.person) }),
    body: [
      make("label", { class: "field" }, make("span", {}, say("captionField")), caption),
      make("div", { class: "checks" }, make("label", {}, spoiler, say("spoilerField")), make("label", {}, above, say("aboveField"))),
      make("h3", {}, say("sampleKinds")),
      make("div", { class: "choices" }, state.abilities.sample_kinds.map((kind) => drawKind(kind))),
      make("h3", {}, say("sampleAlbums")),
      make("div", { class: "choices" }, ALBUMS.map((album) => drawAlbum(album)), drawLongText()),
    ],
  });
  dialog.classList.add("samples");

  function drawKind(kind) {
    const send = () => column.act("messages", { [kind]: true, ...captionOf(kind, choices) });
    return drawChoice(kindName(kind), send);
  }

  function drawAlbum({ key, kinds }) {
    const items = () => kinds.map((kind, index) => ({ [kind]: true, ...captionOf(kind, choices, index > 0) }));
    return drawChoice(say(key), () => column.act("albums", { items: items() }));
  }

  function drawLongText() {
    return drawChoice(say("longText"), () => {
      column.composer.field.value = makeLongText(column.person.language_code, LONG_TEXT_UNITS);
    });
  }

  function drawChoice(words, act) {
    return makeButton({ on: { click: () => { dialog.close(); act(); column.composer.field.focus(); } } }, words);
  }
}

/** What of the choices a kind can have; in an album only the first item has the caption. */
function captionOf(kind, { caption, spoiler, above }, isLater = false) {
  const { captioned_kinds: captioned, picture_kinds: pictures } = state.abilities;
  const isPicture = pictures.includes(kind);
  const words = captioned.includes(kind) && !isLater ? caption.value.trim() : "";
  return {
    ...(words ? { caption: words } : {}),
    ...(isPicture && spoiler.checked ? { spoiler: true } : {}),
    ...(isPicture && above.checked ? { caption_above: true } : {}),
  };
}
