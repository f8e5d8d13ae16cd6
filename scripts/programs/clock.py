"""Times a loop and prints, as the last line, how often it went round and what a round took: what Lanescope should find."""
import json
import time


class Clock:
    """Counts from the `skip`th round on, when everything has been loaded and compiled."""

    def __init__(self, skip=20):
        self.skip, self.rounds, self.began = skip, 0, None

    def round(self):
        if self.rounds == self.skip:
            self.began = time.perf_counter()
        self.rounds += 1

    def print(self, **more):
        timed = self.rounds - self.skip
        us = 1e6 * (time.perf_counter() - self.began) / timed if timed > 0 and self.began else None
        print(json.dumps({"iterations": self.rounds, "us": us, **more}), flush=True)
