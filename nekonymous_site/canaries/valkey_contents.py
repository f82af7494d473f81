"""What lies in Valkey or Redis, and everything that any process says to it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import redis

from nekonymous_site.canaries.ledger import Sample

KEYS: Final = "Valkey keys"
COMMANDS: Final = "commands to Valkey"
_LISTENER_SECONDS: Final = 10
_MOST_MEMBERS: Final = 100_000


def read_keys(redis_url: str) -> Iterator[Sample]:
    """Read every key and value of every database of the server."""
    with redis.Redis.from_url(redis_url, single_connection_client=True) as client:
        numbers = [name.removeprefix("db") for name in client.info("keyspace")]
        yield Sample(group=KEYS, place="server", content=b"")  # searched, if nothing lies there
        for number in numbers:
            client.execute_command("SELECT", number)
            for key in client.scan_iter():
                content = key + b"\n" + b"\n".join(_flatten(_read_value(client, key)))
                yield Sample(group=KEYS, place=_name_of(key), content=content)


def _name_of(key: bytes) -> str:
    """A key without what is random in it, so that a report can repeat it."""
    prefix, _, tag = key.decode(errors="replace").rpartition(":")
    return f"{prefix}:…" if tag and prefix.startswith("rate:") else tag[:40]


def _read_value(client: redis.Redis, key: bytes) -> object:
    last = _MOST_MEMBERS - 1
    match client.type(key):
        case b"string":
            return client.get(key)
        case b"list":
            return client.lrange(key, 0, last)
        case b"set":
            return list(client.smembers(key))
        case b"zset":
            return client.zrange(key, 0, last)
        case b"hash":
            return client.hgetall(key)
        case _:
            return client.dump(key)


def _flatten(value: object) -> Iterator[bytes]:
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    for member in value if isinstance(value, list) else [value]:
        yield member if isinstance(member, bytes) else str(member).encode()


@contextmanager
def overheard_commands(redis_url: str) -> Iterator[list[str]]:
    """Collect everything that any process says to the server while the block runs."""
    heard: list[str] = []
    stopping = threading.Event()
    with redis.Redis.from_url(redis_url) as client, client.monitor() as monitor:

        def listen() -> None:
            while not stopping.is_set():
                heard.append(_said(monitor.next_command()))

        listener = threading.Thread(target=listen, name="overhearing", daemon=True)
        listener.start()
        try:
            yield heard
        finally:
            stopping.set()
            with redis.Redis.from_url(redis_url) as other:
                other.ping()  # the one command more that it waits for
            listener.join(timeout=_LISTENER_SECONDS)


def commands_sample(heard: list[str]) -> Sample:
    """What was overheard so far."""
    return Sample(group=COMMANDS, place="all processes", content="\n".join(heard).encode())


def _said(command: dict[str, Any]) -> str:
    return str(command["command"])
