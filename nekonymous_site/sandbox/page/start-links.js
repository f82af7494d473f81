/** Links: those that open the bot are followed as one of the made-up people, others only by choice. */

import { isolate, make } from "./element.js";
import { openMenu } from "./menus.js";
import { nameOf } from "./person-names.js";
import { state } from "./state.js";
import { say, sayParts } from "./words.js";

const SLUG = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * What a link starts the bot with; null for any other link. A link that shares one counts as that one.
 * @returns {{bot: string, slug: string} | null}
 */
export function readStartLink(/** @type {string} */ written) {
  const address = parse(written.trim());
  if (!address) return null;
  if (address.protocol === "tg:") return known(address.searchParams.get("domain"), address.searchParams.get("start"));
  if (address.hostname !== "t.me") return null;
  const [bot, rest] = address.pathname.slice(1).split("/");
  if (bot === "share" && rest === "url") return readStartLink(address.searchParams.get("url") ?? "");
  return known(bot, address.searchParams.get("start"));
}

const known = (bot, slug) => (bot && slug && SLUG.test(slug) ? { bot, slug } : null);

function parse(words) {
  const whole = /^[a-z]+:/i.test(words) ? words : `https://${words}`;
  return URL.canParse(whole) ? new URL(whole) : null;
}

/**
 * Offer what can be done with a link.
 * @param {string} url
 * @param {{opener: HTMLElement, reader: import("./state.js").Person, openAs: (person: any, slug: string) => void,
 *   copy: (words: string) => void}} options
 */
export function offerLink(url, { opener, reader, openAs, copy }) {
  const start = readStartLink(url);
  const isOurs = start?.bot.toLowerCase() === state.abilities.bot.username.toLowerCase();
  const others = state.people.filter((person) => person.id !== reader.id);
  const people = start && isOurs ? [...others.reverse(), reader] : [];
  const items = people.map((person) => ({
    words: sayParts(person.id === reader.id ? "openAsSelf" : "openAs", { name: nameOf(person) }),
    act: () => openAs(person, start?.slug ?? ""),
  }));
  items.push({ words: [say("copyLink")], act: () => copy(url) });
  const address = parse(url);
  if (!start && address && ["http:", "https:"].includes(address.protocol)) {
    items.push({ words: [say("openOutside")], act: () => void window.open(address.href, "_blank", "noopener,noreferrer") });
  }
  const head = make("div", { class: "menu-head" }, isolate(url, { dir: "ltr" }), start && !isOurs ? make("div", {}, say("otherBot")) : null);
  openMenu(opener, { label: say("linkMenu"), head, items });
}
