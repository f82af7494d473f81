"""How the launcher ends early: a failure told in one line, or a wish to stop."""

import errno
from collections.abc import Sequence


class LauncherFailure(Exception):
    """Something the person at the terminal has to know or to mend, told in one line."""

    def __init__(self, line: str, *, details: Sequence[str] = (), exit_code: int = 1) -> None:
        """Keep the line, the last lines of a log that explain it, and the exit code to leave with."""
        super().__init__(line)
        self.line = line
        self.details = tuple(details)
        self.exit_code = exit_code


class StopRequested(Exception):
    """Somebody pressed Ctrl-C or sent SIGTERM while something was still being set up."""


def describe_system_error(error: OSError) -> LauncherFailure:
    """Put an error of the operating system into one line that says what to do about it."""
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LauncherFailure(f"the disk is full{where}: free some space, or set NEKO_DATA_DIR elsewhere")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return LauncherFailure(
            f"not allowed here{where}: {error.strerror}; set NEKO_DATA_DIR to your own folder"
        )
    return LauncherFailure(f"the operating system refused{where}: {error.strerror or error}")
