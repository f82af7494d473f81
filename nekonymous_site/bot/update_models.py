"""Updates as the Bot API sends them, read leniently: unknown fields and kinds are no errors."""

from typing import Annotated, Any, Final

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from typing_extensions import override

# Telegram's own ids fit into 52 bits; what fits into no column is nobody's.
TelegramId = Annotated[int, Field(gt=-(2**63), lt=2**63)]

_MEDIA_NAMES: Final = frozenset(
    {"photo", "video", "animation", "document", "voice", "audio", "sticker", "video_note"}
)


def _readable_or(*, fallback: object) -> WrapValidator:
    """Read what can be read; anything else is as good as left out, and makes no update unusable."""

    def read(value: object, handler: ValidatorFunctionWrapHandler) -> object:
        try:
            return handler(value)
        except ValidationError:
            return fallback

    return WrapValidator(read)


Flag = Annotated[bool, _readable_or(fallback=False)]


class _Incoming(BaseModel):
    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True, frozen=True)

    @override
    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    @override
    def __str__(self) -> str:
        return type(self).__name__


class _NamedFields(_Incoming):
    """Knows the names of everything that came, also of what we do not read."""

    field_names: tuple[str, ...] = ()

    @model_validator(mode="before")
    @staticmethod
    def _note_names(value: object) -> object:
        if not isinstance(value, dict):
            return value
        return value | {"field_names": tuple(name for name, item in value.items() if item is not None)}


class User(_Incoming):
    id: TelegramId
    is_bot: bool = False
    language_code: str | None = None


class Chat(_Incoming):
    id: TelegramId
    type: str


class Button(_Incoming):
    callback_data: str | None = None


class Keyboard(_Incoming):
    inline_keyboard: list[list[Button]] = Field(default_factory=list)


class Medium(_Incoming):
    """A file under its id, with the names that Telegram keeps on it; each kind has some of them."""

    file_id: str = Field(min_length=1)
    file_name: str | None = None
    title: str | None = None
    performer: str | None = None
    set_name: str | None = None


class PhotoSize(Medium):
    width: int = 0
    height: int = 0


ReadableMedium = Annotated[Medium | None, _readable_or(fallback=None)]
ReadablePhoto = Annotated[
    list[Annotated[PhotoSize | None, _readable_or(fallback=None)]], _readable_or(fallback=[])
]


class RepliedMessage(_NamedFields):
    """The message that somebody replied to, which may be ours, their own or anybody's."""

    message_id: TelegramId
    sender: Annotated[User | None, _readable_or(fallback=None)] = Field(default=None, alias="from")
    has_protected_content: Flag = False
    # A keyboard must be readable: it tells where the reply goes.
    reply_markup: Keyboard | None = None

    @property
    def is_from_bot(self) -> bool:
        """Whether a bot sent it; in a private chat that is this bot."""
        return self.sender is not None and self.sender.is_bot

    @property
    def holds_media(self) -> bool:
        """Whether it is more than text."""
        return not _MEDIA_NAMES.isdisjoint(self.field_names)


class Message(_NamedFields):
    """A message; a medium that cannot be read is None, while its name is among the field names."""

    message_id: TelegramId
    chat: Chat
    sender: User | None = Field(default=None, alias="from")
    date: Annotated[int | None, _readable_or(fallback=None)] = None
    text: str | None = None
    entities: list[dict[str, Any]] = Field(default_factory=list)
    caption: str | None = None
    caption_entities: list[dict[str, Any]] = Field(default_factory=list)
    photo: ReadablePhoto = Field(default_factory=list)
    video: ReadableMedium = None
    animation: ReadableMedium = None
    document: ReadableMedium = None
    voice: ReadableMedium = None
    audio: ReadableMedium = None
    sticker: ReadableMedium = None
    video_note: ReadableMedium = None
    has_media_spoiler: Flag = False
    show_caption_above_media: Flag = False
    media_group_id: Annotated[str | None, _readable_or(fallback=None)] = None
    reply_to_message: RepliedMessage | None = None

    @property
    def biggest_photo(self) -> PhotoSize | None:
        """The size with the most pixels; None when there is no photo, or none that can be read."""
        sizes = [size for size in self.photo if size is not None]
        return max(sizes, key=lambda size: size.width * size.height, default=None)


class TappedMessage(_Incoming):
    message_id: TelegramId
    chat: Chat
    reply_markup: Annotated[Keyboard | None, _readable_or(fallback=None)] = None


class CallbackQuery(_Incoming):
    id: str
    sender: User = Field(alias="from")
    data: str | None = None
    message: TappedMessage | None = None


class BotMember(_Incoming):
    status: str = ""


class BotMembership(_Incoming):
    """That the bot may be, or may no longer be, in a chat: in a private one, that it was (un)blocked."""

    chat: Chat
    sender: User = Field(alias="from")
    new_chat_member: BotMember


class Update(_Incoming):
    """One update; a kind that we never ask for leaves every field empty."""

    update_id: int
    message: Message | None = None
    callback_query: CallbackQuery | None = None
    my_chat_member: Annotated[BotMembership | None, _readable_or(fallback=None)] = None
