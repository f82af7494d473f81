"""Daily counts: what happens is noted without anybody's name and added up into one number a day."""
