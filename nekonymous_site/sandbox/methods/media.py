"""Sending on what people have sent, by its file id. Nothing is uploaded here."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from nekonymous_site.sandbox.albums import ALBUM_KINDS, check_album, make_media_group_id
from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.file_store import FileStore
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.keyboard_checks import ReplyMarkup, read_reply_markup
from nekonymous_site.sandbox.message_checks import NO_TEXT, FormattedText, read_caption
from nekonymous_site.sandbox.methods.posting import post, prepare_posting, refuse_voice_where_forbidden
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.sample_media import CAPTIONED_KINDS, PICTURE_KINDS, medium_fields
from nekonymous_site.sandbox.simulation import Simulation

_VOICE_KINDS = frozenset({"voice", "video_note"})

SendMethod: TypeAlias = Callable[[Simulation, Parameters], Awaitable[JsonObject]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMedium:
    """One medium as the bot asks for it, its file not looked up yet."""

    kind: str
    file_id: str
    caption: FormattedText
    caption_above: bool
    has_spoiler: bool

    def as_fields(self, files: FileStore) -> JsonObject:
        """The fields of a Message object. Raises BotApiError for a file that cannot be sent like this."""
        content = files.find(self.file_id, kind=self.kind)
        return {
            **medium_fields(self.kind, content),
            **self.caption.as_caption_fields(above=self.caption_above),
            **({"has_media_spoiler": True} if self.has_spoiler else {}),
        }


def sender_of(kind: str) -> SendMethod:
    """Make the method that sends one medium of this kind. It raises BotApiError as the server does."""

    async def send_medium(simulation: Simulation, parameters: Parameters) -> JsonObject:
        medium = _read_medium(kind, parameters, file_id=parameters.text(kind))
        if not medium.file_id:
            reason = f"there is no {kind.replace('_', ' ')} in the request"
            raise bad_request(reason)
        posting = prepare_posting(simulation, parameters, markup=read_reply_markup(parameters))
        if kind in _VOICE_KINDS:
            refuse_voice_where_forbidden(simulation, posting)
        return post(simulation, posting, fields=medium.as_fields(simulation.world.files))

    return send_medium


async def send_media_group(simulation: Simulation, parameters: Parameters) -> list[JsonObject]:
    """Send an album, whole or not at all; one item alone is an ordinary message. Raises BotApiError.

    As on the real server ``reply_markup`` is not read, and each message replies to the same one.
    """
    items = parameters.json_list("media")
    if items is None:
        raise bad_request('parameter "media" is required')
    media = [_read_album_item(item) for item in items]
    posting = prepare_posting(simulation, parameters, markup=ReplyMarkup())
    contents = [medium.as_fields(simulation.world.files) for medium in media]
    check_album([medium.kind for medium in media], captions_above=[medium.caption_above for medium in media])
    group = {"media_group_id": make_media_group_id()} if len(media) > 1 else {}
    return [post(simulation, posting, fields=group | content) for content in contents]


def _read_album_item(item: object) -> OutgoingMedium:
    if not isinstance(item, dict):
        raise bad_request("can't parse InputMedia: expected an Object")
    kind = item.get("type")
    if kind == "animation":
        raise bad_request("can't parse InputMedia: type \"animation\" can't be used in sendMediaGroup")
    if not isinstance(kind, str) or kind not in ALBUM_KINDS:
        reason = f'can\'t parse InputMedia: type "{kind}" is unsupported'
        raise bad_request(reason)
    file_id = item.get("media")
    if not isinstance(file_id, str) or not file_id:
        raise bad_request("can't parse InputMedia: media not found")
    # In a call "media" is the whole album.
    parameters = Parameters({name: value for name, value in item.items() if name != "media"})
    return _read_medium(kind, parameters, file_id=file_id)


def _read_medium(kind: str, parameters: Parameters, *, file_id: str) -> OutgoingMedium:
    """Read a medium; what its kind cannot have is not looked at, as on the real server."""
    is_picture = kind in PICTURE_KINDS
    return OutgoingMedium(
        kind=kind,
        file_id=file_id,
        caption=read_caption(parameters) if kind in CAPTIONED_KINDS else NO_TEXT,
        caption_above=is_picture and parameters.flag("show_caption_above_media"),
        has_spoiler=is_picture and parameters.flag("has_spoiler"),
    )
