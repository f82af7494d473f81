"""The safety plane has its schema and its read-only role; its tables come with its first feature."""
