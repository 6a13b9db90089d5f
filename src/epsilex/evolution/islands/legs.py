"""How far the islands go before the clock is read again.

All islands stop at the same generation, so that a search that the clock ended can be repeated by its number of
generations. Nobody can know beforehand which generation that will be. So the search goes in legs: all islands go on
to a common generation, which should take a good part of the time that is left; then the next leg is planned by the
pace of the last one.
"""

from __future__ import annotations

from epsilex.evolution.observers.stopping import Stop

SHARE = 0.7  # of the time that is left, for one leg
SLACK, SLACK_SHARE = 1.0, 0.05  # seconds, or share of the limit: how late a search may end


class Legs:
    """Plans the legs of a search; `generation` and `seconds` are where the last one ended."""

    def __init__(self, stop: Stop, generation: int | None = None, seconds: float = 0.0):
        self.stop, self.generation, self.seconds = stop, generation, seconds
        self.pace: float | None = None  # seconds per generation

    def horizon(self) -> int | None:
        """The generation at which all islands meet next; None if the time is over."""
        if self.generation is None:
            return 0
        last = self.stop.generations
        if self.stop.seconds is None:
            return last
        left = self.stop.seconds - self.seconds
        if left <= 0.0 or (self.pace is not None and self.pace > left + self.slack / 2.0):
            return None
        far = self.generation + (1 if self.pace is None else max(1, int(SHARE * left / max(self.pace, 1e-9))))
        return far if last is None else min(far, last)

    def reached(self, generation: int, seconds: float) -> None:
        """A leg has ended."""
        if self.generation is not None and generation > self.generation:
            self.pace = (seconds - self.seconds) / (generation - self.generation)
        self.generation, self.seconds = generation, seconds

    @property
    def slack(self) -> float:
        """Seconds by which the search may end late."""
        return max(SLACK, SLACK_SHARE * (self.stop.seconds or 0.0))

    @property
    def latest(self) -> float | None:
        """When work that is not done is given up."""
        return None if self.stop.seconds is None else self.stop.seconds + self.slack
