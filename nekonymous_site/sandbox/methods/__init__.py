"""The Bot API's methods, by subject."""
