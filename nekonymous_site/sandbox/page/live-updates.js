/** Keeps the page up to date: by the sandbox's event stream, or, where there is none, by asking now and then. */

import { get } from "./sandbox-client.js";
import { announce, state } from "./state.js";

const PAUSE_MILLISECONDS = 2_000;

/** Start; goes on, through restarts of the sandbox, as long as the page is open. */
export function keepUpToDate() {
  const stream = new EventSource("/sandbox/events");
  stream.addEventListener("hello", (event) => {
    state.run = JSON.parse(event.data).run;
    setConnection("live");
  });
  stream.addEventListener("people", (event) => takePeople(JSON.parse(event.data).people));
  stream.addEventListener("chats", (event) => announce("chats", JSON.parse(event.data)));
  stream.addEventListener("traffic", (event) => takeTraffic(JSON.parse(event.data)));
  stream.addEventListener("error", () => {
    stream.close();
    askMeanwhile();
  });
}

/** Ask once for what the stream would have told, then try the stream again. */
async function askMeanwhile() {
  try {
    takePeople((await get("people")).people);
    setConnection("asking");
    announce("chats", null);
  } catch {
    setConnection("lost");
  }
  setTimeout(keepUpToDate, PAUSE_MILLISECONDS);
}

function setConnection(/** @type {typeof state.connection} */ connection) {
  const changed = state.connection !== connection;
  state.connection = connection;
  if (changed) announce("connection");
}

function takePeople(people) {
  state.people = people;
  announce("people");
}

function takeTraffic(traffic) {
  state.traffic = traffic;
  announce("traffic");
}
