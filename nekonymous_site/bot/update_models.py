"""Updates as the Bot API sends them, read leniently: unknown fields and kinds are no errors."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import override

# Telegram's own ids fit into 52 bits; what fits into no column is nobody's.
TelegramId = Annotated[int, Field(gt=-(2**63), lt=2**63)]


class _Incoming(BaseModel):
    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True, frozen=True)

    @override
    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    @override
    def __str__(self) -> str:
        return type(self).__name__


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


class RepliedMessage(_Incoming):
    message_id: TelegramId
    reply_markup: Keyboard | None = None


class Message(_Incoming):
    message_id: TelegramId
    chat: Chat
    sender: User | None = Field(default=None, alias="from")
    text: str | None = None
    entities: list[dict[str, Any]] = Field(default_factory=list)
    reply_to_message: RepliedMessage | None = None


class TappedMessage(_Incoming):
    message_id: TelegramId
    chat: Chat


class CallbackQuery(_Incoming):
    id: str
    sender: User = Field(alias="from")
    data: str | None = None
    message: TappedMessage | None = None


class Update(_Incoming):
    """One update; a kind that we never ask for leaves every field empty."""

    update_id: int
    message: Message | None = None
    callback_query: CallbackQuery | None = None
