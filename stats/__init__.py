"""Daily counts; so far a schema and a read-only role, the tables come with the first feature."""
