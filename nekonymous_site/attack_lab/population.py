"""Made-up people's habits, drawn from a seed: who writes much, who is written to, who reads when."""

import math
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Final

# A few get most of it: popularity falls with the rank, as 1 / rank.
FAVOURITES: Final = (1, 4)
ACTIVITY_SPREAD: Final = 1.2  # of the logarithm: the busiest of a hundred writes some 200 times the least
TYPICAL_LETTERS: Final = 90
LETTERS_SPREAD: Final = 1.0
MOST_LETTERS: Final = 3000


class Reading(Enum):
    """The probability with which somebody fetches what waits, each round."""

    SOON = 0.35
    LATE = 0.02
    NEVER = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    activity: float
    popularity: float
    reading: Reading
    favourites: tuple[int, ...]  # places in the population
    pauses: bool


def draw_habits(people: int, *, rng: Random) -> list[Habits]:
    """Draw a population; the same seed draws the same one."""
    ranks = rng.sample(range(1, people + 1), people)
    popularity = [1 / rank for rank in ranks]
    return [
        Habits(
            activity=rng.lognormvariate(0, ACTIVITY_SPREAD),
            popularity=popularity[place],
            reading=rng.choices((Reading.SOON, Reading.LATE, Reading.NEVER), weights=(65, 25, 10))[0],
            favourites=_draw_favourites(place, popularity, rng=rng),
            pauses=rng.random() < 0.02,
        )
        for place in range(people)
    ]


def _draw_favourites(place: int, popularity: list[float], *, rng: Random) -> tuple[int, ...]:
    drawn = rng.choices(range(len(popularity)), weights=popularity, k=rng.randint(*FAVOURITES))
    return tuple(other for other in drawn if other != place)


def draw_text(rng: Random) -> str:
    """Draw a text whose length is that of messages: mostly short, now and then long."""
    letters = rng.lognormvariate(math.log(TYPICAL_LETTERS), LETTERS_SPREAD)
    return "".join(rng.choices("abcdefgh ", k=max(1, min(int(letters), MOST_LETTERS)))).strip() or "a"
