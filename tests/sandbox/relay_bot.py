"""A toy relay bot that polls the sandbox: just enough of the product for its story to be played."""

import threading
from collections import defaultdict
from typing import Any

from tests.sandbox.sandbox_process import RunningSandbox


class RelayBot(threading.Thread):
    """Answers until stopped; ``deaf_to`` names a beginning of texts it does not react to."""

    def __init__(self, sandbox: RunningSandbox, *, deaf_to: str | None = None) -> None:
        super().__init__()
        self._sandbox = sandbox
        self._deaf_to = deaf_to
        self._stopped = threading.Event()
        self._addressees: dict[int, int] = {}
        self._waiting: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)

    def stop(self) -> None:
        """Stop within a second."""
        self._stopped.set()
        self.join()

    def run(self) -> None:
        offset = 0
        while not self._stopped.is_set():
            for update in self._sandbox.call("getUpdates", offset=offset, timeout=1):
                offset = update["update_id"] + 1
                self._take(update)

    def _take(self, update: dict[str, Any]) -> None:
        query = update.get("callback_query")
        if query is not None:
            self._take_tap(query["from"]["id"], query["data"])
        elif self._deaf_to is None or not update["message"]["text"].startswith(self._deaf_to):
            self._take_text(update["message"])

    def _take_tap(self, person: int, data: str) -> None:
        if data == "ib:":
            self._deliver(person)
        else:
            self._addressees[person] = int(data.removeprefix("r:"))
            self._send(person, "write your answer, or /cancel")

    def _take_text(self, message: dict[str, Any]) -> None:
        person, text = message["from"]["id"], message["text"]
        markup = message.get("reply_to_message", {}).get("reply_markup")
        if markup is not None:
            self._addressees[person] = int(
                markup["inline_keyboard"][0][0]["callback_data"].removeprefix("r:")
            )
        if text == "/start":
            self._send(person, f"your link: https://t.me/some_bot?start=s{person}")
        elif text.startswith("/start s"):
            self._addressees[person] = int(text.removeprefix("/start s"))
            self._send(person, "write your text, or /cancel")
        elif text == "/inbox":
            self._deliver(person)
        else:
            self._accept(person, text)

    def _accept(self, sender: int, text: str) -> None:
        addressee = self._addressees.pop(sender)
        self._waiting[addressee].append((text, sender))
        self._send(sender, "sent")
        self._send(addressee, "something waits", button="ib:")

    def _deliver(self, person: int) -> None:
        count = self._send(person, "on the way")
        for text, sender in self._waiting.pop(person, []):
            self._send(person, text, button=f"r:{sender}")
        self._sandbox.call("editMessageText", chat_id=person, message_id=count, text="that was all")

    def _send(self, person: int, text: str, *, button: str | None = None) -> int:
        markup = {"inline_keyboard": [[{"text": button, "callback_data": button}]]} if button else None
        sent = self._sandbox.call("sendMessage", chat_id=person, text=text, reply_markup=markup)
        return int(sent["message_id"])
