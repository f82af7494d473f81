"""The wish to stop: Ctrl-C, SIGTERM, or a terminal that was closed."""

import os
import select
import signal
from types import FrameType

from nekonymous_site.embedded.failures import StopRequested


class StopRequest:
    """Counts the signals that ask the launcher to stop and wakes whoever waits.

    Handlers only note; nothing is raised inside them, so a second Ctrl-C cannot interrupt the stopping.
    """

    def __init__(self) -> None:
        """Open the pipe over which the interpreter reports signals."""
        self._count = 0
        self._readable, self._writable = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def install(self) -> None:
        """Take over the signals of this process. Must be called from the main thread; may be repeated."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # nohup wants its program to live on after the terminal.
            if number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue
            signal.signal(number, self._note)
        signal.signal(signal.SIGCHLD, self._wake_only)
        signal.set_wakeup_fd(self._writable, warn_on_full_buffer=False)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._count += 1

    def _wake_only(self, _number: int, _frame: FrameType | None) -> None:
        """A handler is needed for the wake-up pipe to be told of the signal at all."""

    @property
    def requested(self) -> bool:
        """Whether anybody asked to stop."""
        return self._count > 0

    @property
    def hurried(self) -> bool:
        """Whether somebody asked a second time."""
        return self._count > 1

    def wait(self, seconds: float) -> None:
        """Sleep, but wake early for any new signal, a child's end included."""
        readable, _, _ = select.select([self._readable], [], [], max(seconds, 0))
        if readable:
            os.read(self._readable, 4096)

    def raise_if_requested(self) -> None:
        """Raise StopRequested if somebody asked to stop."""
        if self.requested:
            raise StopRequested
