"""Runs of words with a capital, which may be names."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TypeAlias

from es_simhash.semantics.languages.word_lists import ANY_LANGUAGE, rule_words
from es_simhash.text.lines import unwrapped

# A line is a headline when more than this share of its words has a capital.
HEADLINE_SHARE, HEADLINE_WORDS = 0.7, 4
MAX_RUN_LENGTH = 500
# What may precede the first word of a line.
OPENING_CHARACTERS = " \t\u00a0\"'“‘«„([-–—•*#>"

# Offset of the first word of a run, its words, and whether it opens a sentence.
CapitalRun: TypeAlias = tuple[int, str, bool]


def capital_runs(text: str) -> Iterator[tuple[list[CapitalRun], bool]]:
    """Yield the runs of each line that has some, in order, and whether the line is a headline."""
    text = unwrapped(text)
    # Splitting takes half the time of making a match of each run. Pieces are what is before a
    # run, its words, and whether it opens a sentence; no run crosses the end of a line.
    pieces = split_at_runs(text)
    lines = iter(text.splitlines(keepends=True))
    runs: list[CapitalRun] = []
    line, position, opening, end = "", 0, 0, 0
    for before, words, opens in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=False):
        start = position + len(before)
        if start >= end:
            if runs:
                yield runs, _is_headline(line, runs)
                runs = []
            while start >= end:
                line = next(lines)
                end += len(line)
            opening = end - len(line.lstrip(OPENING_CHARACTERS))
        position = start + len(words)
        runs.append((start, words, opens is not None or start == opening))
    if runs:
        yield runs, _is_headline(line, runs)


def split_at_runs(text: str) -> list[str]:
    """Return what is before each run, its words, whether it opens a sentence, and the rest."""
    return _capital_runs().split(text)


def _is_headline(line: str, runs: Sequence[CapitalRun]) -> bool:
    count = line.count(" ") + 1
    if count < HEADLINE_WORDS:
        return False
    capitals = len(runs) + sum([words.count(" ") for _, words, _ in runs])
    return capitals > HEADLINE_SHARE * count


@lru_cache(maxsize=1)
def _capital_runs() -> re.Pattern[str]:
    """Return the expression of a run of words with a capital, and of whether it opens a sentence.

    Nothing follows the parts that repeat, so that it never goes back: its time is linear.
    The capital comes first, before what is looked up behind it, because the search then skips
    everything else at once. That holds only for classes below U+10000, beyond which few scripts
    have capitals (Deseret, Osage, Adlam).
    """
    capital = f"[{category_ranges('Lu', 'Lt')}]"
    letter = f"[{category_ranges('Lu', 'Lt', 'Ll')}\u0300-\u036f0-9_]"
    space = "[ \u00a0]"
    small = "|".join(sorted(rule_words("join", ANY_LANGUAGE), key=len, reverse=True)).replace(
        "%", space
    )
    dotted = rf"(?:\.{capital})+\.?"  # U.S.
    initials = rf"\.(?= ?{capital})"  # J. Smith
    short = r"(?:[trs]|rs)\.(?=[ ])(?<=\b(?:St|Mt|Ft|Dr|Mr|Ms)\.)"
    plain = rf"{letter}*(?:(?:['’](?!s?(?!{letter}))|[-‐&]){letter}+)*(?:(?<= Jr)\.)?"
    rest = rf"(?:{dotted}|{initials}|{short}|{plain})"
    number = rf"\d+(?:\.\d+)*{letter}*"
    initial = (
        rf"(?:(?:(?<=[.!?:…•*|]{space}.)|(?<=[.!?][\"”’')]{space}.)|(?<=[ ][\"“‘'«„(].))"
        r"())?"
    )
    return re.compile(
        rf"({capital}(?<!{letter}.){initial}{rest}"
        rf"(?:{space}(?:(?:{small}){space})?(?:{capital}{rest}|{number})){{0,9}})"
    )


def category_ranges(*categories: str, below: int = 0x10000) -> str:
    """Return the inside of a character class: all characters of some categories.

    Args:
        categories: Unicode categories.
        below: The first code point that is not looked at.
    """
    points = [point for point in range(below) if unicodedata.category(chr(point)) in categories]
    runs = groupby(enumerate(points), key=lambda pair: pair[1] - pair[0])
    bounds = [[point for _, point in run] for _, run in runs]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in bounds)
