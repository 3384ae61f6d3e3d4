"""Measures in turn, so that whatever else the machine does hits both sides alike, and compares."""

import statistics
import sys
import time
from dataclasses import dataclass
from typing import List, Optional


@dataclass(frozen=True)
class Side:
    """One side of a comparison: its name on the page, and what was measured."""

    name: str
    values: List[float]

    def median(self):
        return statistics.median(self.values)


@dataclass(frozen=True)
class Row:
    """A line of the page. The aim is a ratio of the medians, or a bound of our own median; at most one of the two."""

    what: str
    ours: Side
    theirs: Side
    unit: str = "s"
    ratio_at_most: Optional[float] = None
    ours_at_most: Optional[float] = None
    ratio_at_least: Optional[float] = None

    def ratio(self, of):
        below = of(self.theirs.values)
        return of(self.ours.values) / below if below else None

    def aim(self):
        if self.ratio_at_most is not None:
            met = (self.ratio(statistics.median) or 0) <= self.ratio_at_most
            return f"ratio at most {self.ratio_at_most:g}: {'met' if met else '**missed**'}"
        if self.ratio_at_least is not None:
            met = (self.ratio(statistics.median) or 0) >= self.ratio_at_least
            return f"ratio at least {self.ratio_at_least:g}: {'met' if met else '**missed**'}"
        if self.ours_at_most is not None:
            met = self.ours.median() <= self.ours_at_most
            return f"at most {self.ours_at_most:g} {self.unit}: {'met' if met else '**missed**'}"
        return ""


def in_turn(what, rounds, arms):
    """Calls each arm once a round: A B A B ... Each answers what it measured. The first round warms up, uncounted."""
    values = {name: [] for name in arms}
    for turn in range(rounds + 1):
        say(f"{what}: {'warming up' if turn == 0 else f'{turn} of {rounds}'}")
        for name, measure in arms.items():
            value = measure()
            if turn > 0:
                values[name].append(value)
    return values


def seconds(action):
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def say(words):
    print(f"bench: {words}", file=sys.stderr, flush=True)
