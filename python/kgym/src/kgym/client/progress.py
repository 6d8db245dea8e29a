"""A bar for a person who waits: on a terminal one line that is drawn over, elsewhere nothing."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any, TextIO

from kgym.client.evaluation import Evaluation

WIDTH = 24
EVERY_S = 0.1


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f}s"
    return f"{seconds / 60:.0f}m" if seconds < 5400 else f"{seconds / 3600:.1f}h"


def _rate(rate: float) -> str:
    return f"{rate:.3g}/s" if rate < 999.5 else f"{rate:,.0f}/s"


def line(done: int, total: int, words: Counter[str], elapsed_s: float) -> str:
    """"[######      ] 50/100  25/s  ok 40  fail 8  rejected 2  2s left"."""
    filled = WIDTH * done // total if total else WIDTH
    rate = done / elapsed_s if elapsed_s > 0 else 0.0
    parts = [f"[{'#' * filled}{' ' * (WIDTH - filled)}] {done}/{total}"]
    if done and rate > 0:
        parts.append(_rate(rate))
    parts += [f"{word} {count}" for word, count in words.most_common()]
    if 0 < done < total and rate > 0:
        parts.append(f"{_time((total - done) / rate)} left")
    return "  ".join(parts)


class Progress:
    def __init__(self, total: int, stream: TextIO | None = None, shown: bool | None = None):
        self._stream = stream or sys.stderr
        self._shown = self._stream.isatty() if shown is None else shown
        self._total, self._done = total, 0
        self._words: Counter[str] = Counter()
        self._began = time.monotonic()
        self._drawn, self._width = 0.0, 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._shown:
            self._draw()
            self._stream.write("\n")
            self._stream.flush()

    def ended(self, evaluation: Evaluation) -> None:
        self._done += 1
        self._words[(evaluation.outcome or evaluation.state).partition(":")[0]] += 1
        now = time.monotonic()
        if self._shown and now - self._drawn >= EVERY_S:
            self._drawn = now
            self._draw()

    def _draw(self) -> None:
        text = line(self._done, self._total, self._words, time.monotonic() - self._began)
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)
