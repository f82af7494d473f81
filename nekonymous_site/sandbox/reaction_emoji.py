"""The fixed list of emoji that bots, and people without Premium, react with."""

from nekonymous_site.sandbox.json_types import JsonObject

_REACTION_EMOJI = frozenset(
    [
        *"👍👎❤🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾💋🖕😈😴😭🤓👻",
        *"👀🎃🙈😇😨🤝✍🤗🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾🤷😡",
        "❤\u200d🔥",
        "👨\u200d💻",
        "🤷\u200d♂",
        "🤷\u200d♀",
    ]
)


def list_reaction_emoji() -> list[str]:
    """All of them."""
    return sorted(_REACTION_EMOJI)


def is_reaction_emoji(emoji: object) -> bool:
    """Whether Telegram knows this as a reaction, whether or not it asks for a coloured picture."""
    return isinstance(emoji, str) and emoji.replace("\ufe0f", "") in _REACTION_EMOJI


def as_reactions(emoji: str | None) -> list[JsonObject]:
    """One reaction, or none, as an array of ReactionType objects."""
    return [] if emoji is None else [{"type": "emoji", "emoji": emoji}]
