/** Stand-ins for media: no file exists here, so each is drawn from what is known of it. */

import { draw, hiddenWords, isolate, make, makeButton, makeSign } from "./element.js";
import { duration, hasWords, number, say } from "./words.js";

const PICTURES = new Set(["photo", "video", "animation", "video_note"]);
const SIGNS = {
  document: "📄", audio: "♫", contact: "👤", venue: "📍", location: "📍", story: "◎", paid_media: "★",
  checklist: "☑", giveaway: "🎁", gift: "🎁", unique_gift: "🎁", game: "🎮", invoice: "🧾", pinned_message: "📌",
  users_shared: "👥", other: "…",
};

/** Words for a kind of message. */
export const kindName = (/** @type {string} */ kind) => (hasWords(`kind_${kind}`) ? say(`kind_${kind}`) : kind.replaceAll("_", " "));

/**
 * What a message holds besides its words, as a drawing; null for a text.
 * @param {any} message
 * @param {import("./entities.js").Surroundings} around
 * @returns {HTMLElement | null}
 */
export function drawMedium(message, around) {
  const { kind } = message;
  if (kind === "text") return null;
  if (PICTURES.has(kind)) return drawPicture(message, around);
  if (kind === "sticker") return drawSticker(message);
  if (kind === "voice") return drawVoice(message);
  if (kind === "dice") return make("div", { class: "sticker" }, message.message.dice.emoji, make("span", { class: "medium-label" }, number(message.message.dice.value)));
  if (kind === "poll") return drawPoll(message.message.poll);
  return drawCard(message);
}

function drawPicture(message, around) {
  const { kind } = message;
  const content = message.message[kind];
  const seconds = content?.duration;
  const label = [kindName(kind), seconds === undefined ? null : duration(seconds)].filter(Boolean).join(" · ");
  const picture = make(
    "div",
    { class: `picture ${kind.replaceAll("_", "-")}`, role: "img", "aria-label": label },
    drawScene(message.file.file_unique_id ?? ""),
    kind === "photo" ? null : make("span", { class: "play", "aria-hidden": "true" }, kind === "animation" ? "GIF" : "▶"),
    make("span", { class: "medium-label", "aria-hidden": "true" }, label),
  );
  colour(picture, message);
  return message.message.has_media_spoiler ? coverWithSpoiler(picture, { label, around }) : picture;
}

function coverWithSpoiler(picture, { label, around }) {
  const key = "cover";
  if (around.isOpen(key)) return picture;
  const cover = makeButton(
    { class: "media-cover", "data-focus-key": key },
    make("span", { class: "cover-words" }, `${say("spoilerMedia")} · ${label}`),
  );
  picture.setAttribute("aria-hidden", "true");
  cover.addEventListener("click", () => {
    around.setOpen(key, true);
    picture.removeAttribute("aria-hidden");
    cover.remove();
  });
  return make("div", { class: "covered" }, picture, cover);
}

/** A small landscape, another one for each file. */
function drawScene(identity) {
  const [a, b, c] = threeNumbers(identity);
  const hills = `M0 ${60 + a * 12} Q ${25 + b * 20} ${36 + c * 18} 55 ${62 + b * 8} T 120 ${52 + a * 16} V 90 H 0 Z`;
  const front = `M0 ${74 + c * 6} Q ${40 + a * 30} ${60 + b * 12} 120 ${76 - c * 6} V 90 H 0 Z`;
  return draw(
    "svg",
    { viewBox: "0 0 120 90", preserveAspectRatio: "xMidYMid slice", "aria-hidden": "true" },
    draw("rect", { class: "sky", width: 120, height: 90 }),
    draw("circle", { class: "sun", cx: 20 + b * 80, cy: 18 + c * 14, r: 9 }),
    draw("path", { class: "hill", d: hills }),
    draw("path", { class: "front", d: front }),
  );
}

function drawSticker(message) {
  const sign = message.message.sticker?.emoji ?? "🏷";
  const label = kindName("sticker");
  const sticker = make("div", { class: "sticker", role: "img", "aria-label": `${label} ${sign}` }, sign, make("span", { class: "medium-label" }, label));
  colour(sticker, message);
  return sticker;
}

function drawVoice(message) {
  const heights = [...(message.file.file_unique_id ?? "").padEnd(24, "x")].slice(0, 24).map((sign) => 4 + (sign.charCodeAt(0) % 16));
  const bars = heights.map((height, index) => draw("rect", { x: index * 5, y: 20 - height, width: 3, height: height, rx: 1.5 }));
  const medium = make(
    "div",
    { class: "card voice" },
    make("span", { class: "card-sign", "aria-hidden": "true" }, "▶"),
    make("div", { class: "card-words" },
      draw("svg", { class: "wave", viewBox: "0 0 120 20", "aria-hidden": "true" }, bars),
      make("span", { class: "card-note" }, `${kindName("voice")} · ${duration(message.message.voice.duration ?? 0)}`)),
  );
  colour(medium, message);
  return medium;
}

function drawPoll(poll) {
  const options = poll.options.map((option) => make("li", { dir: "auto" }, option.text));
  return make("div", { class: "poll" }, make("div", { class: "card-note" }, kindName("poll")), make("div", { class: "poll-question", dir: "auto" }, poll.question), make("ul", {}, options));
}

function drawCard(message) {
  const { title, note } = describe(message);
  const card = make(
    "div",
    { class: "card" },
    make("span", { class: "card-sign", "aria-hidden": "true" }, SIGNS[message.kind] ?? SIGNS.other),
    make("div", { class: "card-words" },
      title ? isolate(title, { class: "card-title" }) : hiddenWords(""),
      make("span", { class: "card-note" }, [kindName(message.kind), note].filter(Boolean).join(" · "))),
  );
  colour(card, message);
  return card;
}

/** The few words by which a card tells what it stands for. */
function describe(message) {
  const content = message.message[message.kind] ?? {};
  switch (message.kind) {
    case "document":
      return { title: content.file_name, note: content.mime_type };
    case "audio":
      return { title: [content.performer, content.title].filter(Boolean).join(" – "), note: duration(content.duration ?? 0) };
    case "contact":
      return { title: content.first_name, note: content.phone_number };
    case "location":
      return { title: `${content.latitude}, ${content.longitude}`, note: null };
    case "unique_gift":
      return { title: content.gift?.name, note: null };
    case "paid_media":
      return { title: null, note: `★ ${number(content.star_count ?? 0)}` };
    default:
      return { title: content.title ?? null, note: content.address ?? content.description ?? null };
  }
}

/** The same file has the same colour wherever it stands. */
function colour(element, message) {
  const [a] = threeNumbers(message.file.file_unique_id ?? message.kind);
  element.style.setProperty("--hue", String(Math.round(a * 360)));
}

/** Three numbers from 0 to 1 that depend on nothing but the words. */
function threeNumbers(/** @type {string} */ words) {
  let hash = 2166136261;
  for (const sign of words) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 16777619) >>> 0;
  return [hash % 997, (hash >>> 8) % 997, (hash >>> 16) % 997].map((part) => part / 997);
}

/** The signs that stand beside a message's time. */
export function drawMarks(message) {
  return [
    message.is_edited ? make("span", { class: "mark edited" }, say("markEdited")) : null,
    message.is_silent ? makeSign("🔕", say("markSilent"), { class: "sign mark silent" }) : null,
    message.is_protected ? makeSign("🔒", say("markProtected"), { class: "sign mark protected" }) : null,
  ];
}
