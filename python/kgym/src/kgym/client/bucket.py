"""A token bucket: at most so many a second over time, and so many at once.

A trainer that samples faster than its share of the server judges puts one between them, and its submissions neither pile up in the queue nor are turned away.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable


class TokenBucket:
    """`rate` tokens a second come in, up to `burst`. Whoever takes one that is not there yet waits for it, first come first served.

    May be shared by threads and by coroutines of several loops: taking is a moment under a lock, waiting is outside it.
    """

    def __init__(self, rate: float, burst: float = 1.0, clock: Callable[[], float] = time.monotonic):
        if rate <= 0 or burst < 1:
            raise ValueError(f"rate {rate!r}, burst {burst!r}: a rate above 0 and a burst of at least 1 are expected")
        self._rate, self._burst, self._clock = rate, burst, clock
        self._tokens, self._at = burst, clock()
        self._lock = threading.Lock()

    def reserve(self, tokens: float = 1.0) -> float:
        """Takes the tokens and returns how many seconds from now they are there."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._burst, self._tokens + max(0.0, now - self._at) * self._rate)
            self._at = now
            self._tokens -= tokens
            return max(0.0, -self._tokens / self._rate)

    def take(self, tokens: float = 1.0) -> None:
        seconds = self.reserve(tokens)
        if seconds > 0:
            time.sleep(seconds)

    async def take_async(self, tokens: float = 1.0) -> None:
        seconds = self.reserve(tokens)
        if seconds > 0:
            await asyncio.sleep(seconds)
