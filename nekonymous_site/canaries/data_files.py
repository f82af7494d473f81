"""The files that a data folder holds besides the database's own."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nekonymous_site.canaries.ledger import Sample

LOGS: Final = "logs"
FILES: Final = "other files"
# The database is read row by row; keys are what everything hangs on; the last is Telegram's side.
LEFT_OUT: Final = ("postgres", "keys.env", "sandbox.json")
PIECE_BYTES: Final = 4 * 1024 * 1024
# A value that lies across two pieces is whole in one of them.
OVERLAP_BYTES: Final = 64 * 1024


def read_files(data_dir: Path) -> Iterator[Sample]:
    """Read every file in pieces; what vanishes or may not be read meanwhile is passed over."""
    for folder, folders, names in os.walk(data_dir):
        root = Path(folder)
        if root == data_dir:
            folders[:] = [name for name in folders if name not in LEFT_OUT]
        for name in sorted(names):
            path = root / name
            if path.is_file() and not (root == data_dir and name in LEFT_OUT):
                yield from _read_file(path, place=str(path.relative_to(data_dir)))


def _read_file(path: Path, *, place: str) -> Iterator[Sample]:
    is_log = path.suffix == ".log" or path.name.endswith(".log.1")
    group = LOGS if is_log else FILES
    try:
        with path.open("rb") as file:
            before = b""
            while piece := file.read(PIECE_BYTES):
                yield Sample(group=group, place=place, content=before + piece)
                before = piece[-OVERLAP_BYTES:]
    except OSError:
        return
