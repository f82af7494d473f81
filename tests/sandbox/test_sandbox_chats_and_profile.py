"""What the bot asks about chats and says of itself."""

import pytest

from nekonymous_site.sandbox.people import Person
from tests.sandbox.sandbox_process import RunningSandbox

DEFAULT_NAME = "Nekonymous (sandbox)"


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person("سارا", username="sara_example")
    sara.says("/start")
    return sara


@pytest.mark.parametrize(
    "method",
    [
        "sendMessage",
        "editMessageText",
        "editMessageCaption",
        "editMessageReplyMarkup",
        "deleteMessage",
        "deleteMessages",
        "sendChatAction",
        "setMessageReaction",
        "getChat",
        "leaveChat",
    ],
)
def test_every_method_with_a_chat_looks_for_it(sandbox: RunningSandbox, method: str) -> None:
    content = {"text": "x", "action": "typing", "message_id": 1, "message_ids": [1], "reaction": []}
    assert sandbox.refused(method, **content) == (400, "Bad Request: chat_id is empty")
    assert sandbox.refused(method, chat_id=5, **content) == (400, "Bad Request: chat not found")


def test_a_known_chat_is_answered_as_it_is_now(sandbox: RunningSandbox, sara: Person) -> None:
    sara.changes(first_name="Sarah", username=None)
    assert sandbox.call("getChat", chat_id=sara.id) == {
        "id": sara.id,
        "type": "private",
        "first_name": "Sarah",
        "accent_color_id": 0,
        "max_reaction_count": 11,
    }
    group = sandbox.people.group("Friends")
    shown = sandbox.call("getChat", chat_id=group.id)
    assert (shown["title"], shown["type"]) == ("Friends", "supergroup")
    sara.leaves()
    assert sandbox.call("getChat", chat_id=sara.id)["id"] == sara.id
    stranger = sandbox.people.person("Silent")
    assert sandbox.refused("getChat", chat_id=stranger.id) == (400, "Bad Request: chat not found")


def test_an_action_is_shown_and_leaves_nothing(sandbox: RunningSandbox, sara: Person) -> None:
    assert sandbox.call("sendChatAction", chat_id=sara.id, action="typing") is True
    assert len(sara.sees()) == 1
    wrong = (400, "Bad Request: wrong parameter action in request")
    assert sandbox.refused("sendChatAction", chat_id=sara.id, action="dance") == wrong
    sara.blocks_bot()
    assert sandbox.refused("sendChatAction", chat_id=sara.id, action="typing")[0] == 403


@pytest.mark.parametrize(
    ("method", "field", "most"),
    [
        ("Name", "name", 64),
        ("Description", "description", 512),
        ("ShortDescription", "short_description", 120),
    ],
)
def test_what_the_bot_says_of_itself_is_kept_by_language(
    sandbox: RunningSandbox, method: str, field: str, most: int
) -> None:
    default = DEFAULT_NAME if field == "name" else ""
    assert sandbox.call(f"getMy{method}") == {field: default}
    sandbox.call(f"setMy{method}", **{field: "Whisper"})
    sandbox.call(f"setMy{method}", **{field: "نجوا"}, language_code="fa")
    assert sandbox.call(f"getMy{method}", language_code="fa") == {field: "نجوا"}
    assert sandbox.call(f"getMy{method}", language_code="en") == {field: "Whisper"}
    code, description = sandbox.refused(f"setMy{method}", **{field: "x" * (most + 1)})
    assert (code, description) == (400, f"Bad Request: bot {field.replace('_', ' ')} is too long")
    sandbox.call(f"setMy{method}", language_code="fa")
    sandbox.call(f"setMy{method}", **{field: ""})
    assert sandbox.call(f"getMy{method}", language_code="fa") == {field: default}


def test_the_name_goes_with_all_that_the_bot_writes(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.call("setMyName", name="Whisper")
    assert sandbox.call("getMe")["first_name"] == "Whisper"
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="x")
    sandbox.call("setMyName")
    assert sent["from"]["first_name"] == "Whisper"
    assert sandbox.call("getMe")["first_name"] == DEFAULT_NAME


def test_commands_are_kept_by_scope_and_forgotten(sandbox: RunningSandbox, sara: Person) -> None:
    here, everywhere = ([{"command": name, "description": "x"}] for name in ("here", "everywhere"))
    scope = {"type": "chat", "chat_id": sara.id}
    sandbox.call("setMyCommands", commands=everywhere, language_code="de")
    sandbox.call("setMyCommands", commands=here, scope=scope, language_code="de")
    assert sandbox.call("getMyCommands", scope=scope, language_code="de") == here
    as_text = scope | {"chat_id": str(sara.id)}
    assert sandbox.call("getMyCommands", scope=as_text, language_code="de") == here
    sandbox.call("deleteMyCommands", scope=scope, language_code="de")
    sandbox.call("deleteMyCommands", scope=scope, language_code="de")
    assert sandbox.call("getMyCommands", scope=scope, language_code="de") == []
    assert sandbox.call("getMyCommands", scope={"type": "default"}, language_code="de") == everywhere


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"scope": {"type": "moon"}}, "can't parse BotCommandScope: Unsupported type specified"),
        ({"scope": {"type": "chat"}}, "can't parse BotCommandScope: Can't find field \"chat_id\""),
        ({"scope": {"type": "chat", "chat_id": 5}}, "chat not found"),
        ({"language_code": "fas"}, "invalid language code specified"),
        ({"language_code": "FA"}, "invalid language code specified"),
        ({"commands": None}, "can't parse list of commands"),
        ({"commands": [{"command": "x", "description": "x"}] * 101}, "too many commands"),
        ({"commands": [{"command": "x", "description": ""}]}, "BOT_COMMAND_DESCRIPTION_INVALID"),
        ({"commands": ["x"]}, "expected an object as a bot command"),
    ],
)
def test_commands_that_make_no_sense_are_refused(
    sandbox: RunningSandbox, parameters: dict[str, object], reason: str
) -> None:
    call = {"commands": [{"command": "x", "description": "x"}]} | parameters
    assert sandbox.refused("setMyCommands", **call) == (400, f"Bad Request: {reason}")


def test_a_toast_has_200_characters(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.call("sendMessage", chat_id=sara.id, text="tap me")
    tap = sara.taps_data(2, "x")
    answer = {"callback_query_id": tap.callback_query_id, "cache_time": "5"}
    too_long = sandbox.refused("answerCallbackQuery", **answer, text="x" * 201)
    assert too_long == (400, "Bad Request: MESSAGE_TOO_LONG")
    sandbox.call("answerCallbackQuery", **answer, text="س" * 200)
    assert sara.awaits_toast(tap).text == "س" * 200
    no_id = sandbox.refused("answerCallbackQuery")
    assert no_id[1].startswith("Bad Request: query is too old")


def test_a_bot_has_one_reaction_for_each_message(sandbox: RunningSandbox, sara: Person) -> None:
    where = {"chat_id": sara.id, "message_id": 1}
    both = [{"type": "emoji", "emoji": emoji} for emoji in "👍❤"]
    too_many = (400, "Bad Request: REACTIONS_TOO_MANY")
    assert sandbox.refused("setMessageReaction", **where, reaction=both) == too_many
    invalid = (400, "Bad Request: REACTION_INVALID")
    custom = [{"type": "custom_emoji", "custom_emoji_id": "5"}]
    assert sandbox.refused("setMessageReaction", **where, reaction=custom) == invalid
    not_found = (400, "Bad Request: message to react not found")
    for gone in ({"message_id": 99}, {}):
        assert sandbox.refused("setMessageReaction", chat_id=sara.id, **gone, reaction=both[:1]) == not_found
