/** The commands that the bot offers, in the language of whoever asks. */

import { isolate, make } from "./element.js";
import { openMenu } from "./menus.js";
import { get } from "./sandbox-client.js";
import { say } from "./words.js";

/** @param {import("./chat-column.js").ChatColumn} column */
export async function offerCommands(column, /** @type {HTMLElement} */ opener) {
  const { commands } = await get("page-data").catch(() => ({ commands: {} }));
  const offered = chooseCommands(commands, column.person.language_code);
  const items = offered.map(({ command, description }) => ({
    words: [make("span", { class: "command-name", dir: "ltr" }, `/${command}`), " ", isolate(description)],
    act: () => void column.act("messages", { text: `/${command}` }),
  }));
  if (items.length === 0) items.push({ words: [say("noCommands")], act: () => undefined });
  openMenu(opener, { label: say("commands"), items });
}

/** The list for private chats before that for all, the one in this language before the one for any. */
function chooseCommands(kept, language) {
  const lists = new Map(Object.entries(kept).map(([key, commands]) => [describeKey(key), commands]));
  for (const scope of ["all_private_chats", "default"]) {
    for (const code of [language ?? "", ""]) {
      const found = lists.get(`${scope} ${code}`);
      if (found) return found;
    }
  }
  return [];
}

function describeKey(/** @type {string} */ key) {
  const [scope, language] = JSON.parse(key);
  return `${scope.type} ${language}`;
}
