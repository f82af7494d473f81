/** What goes between bot and sandbox: how updates are taken, what shall go wrong, and the latest calls. */

import { isolate, make, makeButton } from "./element.js";
import { showNote } from "./menus.js";
import { nameOf } from "./person-names.js";
import { get, post, put, remove } from "./sandbox-client.js";
import { findPerson, listen, state } from "./state.js";
import { clockTime, number, say } from "./words.js";

const MOST_COUNT = 1_000;
const MOST_RETRY_SECONDS = 86_400;
// Calls come in bursts; the table follows at this pace.
const CALLS_MILLISECONDS = 700;
// Between two polls nobody waits for a moment, which says nothing.
const UNPOLLED_MILLISECONDS = 4_000;

export class ControlPanel {
  constructor(/** @type {HTMLElement} */ place) {
    this.place = place;
    this.polledAt = 0;
    this.callsTimer = 0;
    this.status = make("p", { class: "updates-status" });
    this.rules = make("ul", { class: "rules" });
    this.calls = make("tbody");
    this.notes = make("div", { class: "panel-notes", role: "status" });
    listen("traffic", () => this.takeTraffic());
    setInterval(() => this.showStatus(), UNPOLLED_MILLISECONDS);
  }

  /** Say everything in the page's language. */
  speak() {
    const section = (key, ...children) => make("section", {}, make("h3", {}, say(key)), children);
    this.place.replaceChildren(
      section("updatesTitle", this.status),
      section("faultsTitle", this.drawFaultForm(), this.rules),
      section("ratesTitle", this.drawRates()),
      section("callsTitle", this.drawCalls()),
      this.notes,
    );
    this.takeTraffic();
  }

  takeTraffic() {
    if (!state.traffic) return;
    if (state.traffic.is_polled) this.polledAt = Date.now();
    this.showStatus();
    this.showRules();
    this.followCalls();
  }

  showStatus() {
    if (!state.traffic) return;
    const { webhook_url: url, webhook_error: error, pending_update_count: pending } = state.traffic;
    const isPolled = Date.now() - this.polledAt < UNPOLLED_MILLISECONDS;
    const way = url ? say("byWebhook") : say(isPolled ? "byPolling" : "byNobody");
    const waiting = pending > 0 ? ` ${say("updatesWait", { count: pending })}` : "";
    const words = `${way}${waiting}${url && error && pending > 0 ? ` ${say("webhookError", { error })}` : ""}`;
    if (this.status.textContent !== words) this.status.textContent = words;
  }

  showRules() {
    const rules = state.traffic.faults.map((rule) =>
      make("li", {}, make("code", {}, rule.kind), ` ${rule.method ?? say("anyMethod")} · ${say("callsLeft", { count: rule.count })}`),
    );
    const clear = makeButton({ on: { click: () => this.try(() => remove("faults")) } }, say("clearFaults"));
    const shown = rules.length > 0 ? [...rules, make("li", { class: "plain" }, clear)] : [make("li", { class: "plain quiet-words" }, say("noFaults"))];
    this.rules.replaceChildren(...shown);
  }

  drawFaultForm() {
    const choose = (values) => make("select", {}, values.map(([value, words]) => make("option", { value }, words)));
    const kind = choose(state.abilities.fault_kinds.map((one) => [one, one]));
    const method = choose([["", say("anyMethod")], ...state.abilities.methods.map((one) => [one, one])]);
    const count = make("input", { type: "number", min: 1, max: MOST_COUNT, value: 1 });
    const retryAfter = make("input", { type: "number", min: 0, max: MOST_RETRY_SECONDS, value: 3 });
    const field = (key, input) => make("label", { class: "field" }, make("span", {}, say(key)), input);
    const inject = () =>
      this.try(() => post("faults", {
        kind: kind.value,
        count: Number(count.value),
        retry_after_seconds: Number(retryAfter.value),
        ...(method.value ? { method: method.value } : {}),
      }));
    return make("div", { class: "fault-form", role: "group", "aria-label": say("faultsTitle") },
      field("faultKind", kind), field("faultMethod", method), field("faultCount", count), field("faultRetryAfter", retryAfter),
      makeButton({ class: "strong", on: { click: inject } }, say("injectFault")));
  }

  drawRates() {
    const box = make("input", { type: "checkbox" });
    const follow = ({ enforced }) => (box.checked = enforced);
    get("rates").then(follow, () => (box.disabled = true));
    box.addEventListener("change", () => this.try(() => put("rates", { enforced: box.checked }).then(follow)));
    return make("label", { class: "switch" }, box, make("span", {}, say("enforceRates")));
  }

  drawCalls() {
    const heads = ["callTime", "callMethod", "callChat", "callStatus"].map((key) => make("th", { scope: "col" }, say(key)));
    this.calls.replaceChildren();
    this.followCalls();
    return make("div", { class: "calls", tabindex: 0, role: "region", "aria-label": say("callsTitle") }, make("table", {}, make("thead", {}, make("tr", {}, heads)), this.calls));
  }

  /** Fetch the table soon, once for all the calls made until then; not while nobody can see it. */
  followCalls() {
    if (this.callsTimer || this.place.closest("[hidden]")) return;
    this.callsTimer = setTimeout(async () => {
      this.callsTimer = 0;
      const answer = await get("latest-calls").catch(() => null);
      if (answer) this.calls.replaceChildren(...answer.calls.map((call) => drawCall(call)));
    }, CALLS_MILLISECONDS);
  }

  async try(act) {
    try {
      await act();
    } catch (refused) {
      showNote(this.notes, /** @type {Error} */ (refused).message, "refusal");
    }
  }
}

function drawCall(call) {
  const person = findPerson(Number(call.chat_id));
  const status = call.status === null ? say(call.fault ? "callCut" : "callRuns") : number(call.status);
  const trouble = call.fault ?? call.description;
  const isBad = call.status !== 200;
  return make("tr", { class: isBad ? "bad" : null },
    make("td", {}, clockTime(call.at, true)),
    make("td", { dir: "ltr" }, call.method),
    make("td", {}, isolate((person && nameOf(person)) ?? (call.chat_id ? `${call.chat_id}` : ""))),
    make("td", {}, `${isBad ? "⚠ " : ""}${status}`, trouble ? make("div", { class: "trouble", dir: "auto" }, trouble) : null));
}
