"""What the bot says of itself, by language."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class BotProfile:
    """Name and descriptions; the empty language is everybody's who has none of their own."""

    values: dict[str, dict[str, str]] = field(default_factory=dict)

    def set(self, name: str, value: str, *, language_code: str) -> None:
        """Keep a value for a language; an empty one takes away what was kept."""
        by_language = self.values.setdefault(name, {})
        if value:
            by_language[language_code] = value
        else:
            by_language.pop(language_code, None)

    def get(self, name: str, *, language_code: str) -> str:
        """The value for a language, else everybody's, else nothing."""
        by_language = self.values.get(name, {})
        return by_language.get(language_code) or by_language.get("", "")
