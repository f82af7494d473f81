"""Tables for a terminal, from rows of named values."""

from collections.abc import Sequence


def text_table(rows: Sequence[dict[str, object]]) -> str:
    """Set rows of the same names in columns under those names; there must be at least one row."""
    titles = [name.replace("_", " ") for name in rows[0]]
    lines = [titles, *([str(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
