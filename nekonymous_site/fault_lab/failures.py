"""Why the fault lab could not go on."""


class LabStopped(Exception):
    """Something did not happen that had to, so nothing can be said; the message names it."""
