"""The vault of sealed tickets, each found only by whoever holds its capability."""
