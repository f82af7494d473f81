"""A local stand-in for Telegram's Bot API, with made-up people, for development and tests only."""
