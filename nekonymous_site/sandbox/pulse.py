"""One bell for everything that waits for a change."""

import asyncio


class Pulse:
    """Wakes every waiter at each beat; ``beats`` tells whether one was missed.

    Belongs to one event loop. A waiter that checks its condition and then calls :meth:`wait` without awaiting
    anything in between cannot miss a beat.
    """

    def __init__(self) -> None:
        self.beats = 0
        self._next_beat = asyncio.Event()

    def beat(self) -> None:
        """Wake all waiters; repeatable."""
        self.beats += 1
        self._next_beat.set()
        self._next_beat = asyncio.Event()

    async def wait(self, *, seconds: float) -> None:
        """Return at the next beat or after the given time, whichever comes first."""
        try:
            async with asyncio.timeout(max(seconds, 0)):
                await self._next_beat.wait()
        except TimeoutError:
            return
