"""People, their links, drafts and inboxes: the only plane that knows a person's chat."""
