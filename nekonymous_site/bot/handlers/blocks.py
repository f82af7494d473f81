"""The list of blocks in the settings: lifted one by one, or all at once."""

from typing import Final

import structlog

import accounts.contacts
from accounts.contacts import Block
from nekonymous_site.bot import button_texts, settings_texts
from nekonymous_site.bot.handlers.settings_screens import Screen, back_row, edit, settings_button
from nekonymous_site.bot.keyboards import Button, inline
from nekonymous_site.bot.visit import HandlerAnswer, Visit
from nekonymous_site.crypto import base64url
from nekonymous_site.crypto.errors import EnvelopeUnreadable

log = structlog.get_logger("blocks")

PAGE_ROWS: Final = 8


def _blocks(visit: Visit, argument: str, message_id: int) -> HandlerAnswer:
    """Show one page of the list."""
    return _show(visit, page=_read_page(argument), message_id=message_id, toast=None)


def _lift(visit: Visit, argument: str, message_id: int) -> HandlerAnswer:
    """Lift one block and show the page that it stood on. Looks the same the second time."""
    page, _, text = argument.partition(":")
    try:
        block_id = base64url.decode(text)
    except base64url.NotCanonicalBase64Url:
        block_id = b""
    accounts.contacts.queue_block_lifted(visit.pipeline, visit.actor.account_id, block_id=block_id)
    toast = settings_texts.block_lifted(visit.language)
    return _show(visit, page=_read_page(page), message_id=message_id, toast=toast)


def _lift_all(visit: Visit, argument: str, message_id: int) -> HandlerAnswer:
    """Ask whether all blocks are to be lifted, or lift them."""
    language, account_id = visit.language, visit.actor.account_id
    if argument == "yes":
        accounts.contacts.queue_all_blocks_lifted(visit.pipeline, account_id)
        return _show(visit, page=0, message_id=message_id, toast=settings_texts.blocks_lifted(language))
    count = accounts.contacts.queue_block_count(visit.pipeline, account_id).value
    keyboard = inline(
        [
            settings_button(button_texts.yes(language), "lift_all:yes"),
            settings_button(button_texts.no(language), "blocks"),
        ]
    )
    text = settings_texts.lift_all_question(language, count=count)
    return edit(text, message_id=message_id, keyboard=keyboard)


def _show(visit: Visit, *, page: int, message_id: int, toast: str | None) -> HandlerAnswer:
    language, account_id = visit.language, visit.actor.account_id
    count = accounts.contacts.queue_block_count(visit.pipeline, account_id).value
    if not count:
        text, keyboard = settings_texts.blocks_empty(language), inline(back_row(language))
        return edit(text, message_id=message_id, keyboard=keyboard, toast=toast)
    pages = -(-count // PAGE_ROWS)
    page = min(page, pages - 1)
    blocks = accounts.contacts.queue_blocks(
        visit.pipeline, account_id, offset=page * PAGE_ROWS, limit=PAGE_ROWS
    ).value
    keyboard = inline(
        *[[_row(visit, block, page=page)] for block in blocks],
        _page_row(language, page=page, pages=pages),
        [settings_button(button_texts.lift_all(language), "lift_all")],
        back_row(language),
    )
    text = settings_texts.blocks_screen(language, count=count, page=page + 1, pages=pages)
    return edit(text, message_id=message_id, keyboard=keyboard, toast=toast)


def _row(visit: Visit, block: Block, *, page: int) -> Button:
    return settings_button(_label(visit, block), f"lift:{page}:{base64url.encode(block.block_id)}")


def _label(visit: Visit, block: Block) -> str:
    """Name a block by a nickname or a message; one whose note is spoilt can still be lifted."""
    try:
        note = block.note()
    except EnvelopeUnreadable:
        log.warning("block_note_unreadable")
        return "#?"
    nickname = accounts.contacts.queue_nickname(visit.pipeline, note.contact_tag).value
    return settings_texts.block_entry(visit.language, label=nickname or f"#{note.number}", on=note.on)


def _page_row(language: str, *, page: int, pages: int) -> list[Button]:
    before = settings_button(button_texts.previous_page(language), f"blocks:{page - 1}")
    after = settings_button(button_texts.next_page(language), f"blocks:{page + 1}")
    return [*([before] if page else []), *([after] if page + 1 < pages else [])]


def _read_page(text: str) -> int:
    """Read a page number of ours; anybody's invention is the first page."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 3 else 0


BLOCK_SCREENS: Final[dict[str, Screen]] = {"blocks": _blocks, "lift": _lift, "lift_all": _lift_all}
