"""Tables of our documentation pages, read as rows."""

import re
from pathlib import Path

Row = dict[str, str]


def tables_by_heading(path: Path) -> dict[str, list[Row]]:
    """The rows of the table under each heading that has one, by column title. A broken row is an error."""
    tables: dict[str, list[Row]] = {}
    titles: list[str] | None = None
    heading = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading, titles = line.lstrip("#").strip(), None
        elif not line.startswith("|"):
            titles = None
        elif titles is None:
            titles = _cells(line)
            assert heading not in tables, f"{path.name}: two tables under {heading!r}"
            tables[heading] = []
        elif set(line) - set("|-: "):
            cells = _cells(line)
            assert len(cells) == len(titles), f"{path.name}: {line}"
            tables[heading].append(dict(zip(titles, cells, strict=True)))
    return tables


def code_words(cell: str) -> list[str]:
    """What stands between backticks in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
