"""What must become visible to somebody, and what has already come in."""
