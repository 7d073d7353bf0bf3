"""Texts of made-up words, which have nothing in common unless one is made from another."""

import random
from functools import cache
from itertools import accumulate

# Enough of them that two texts have few in common.
WORDS = [
    first + middle + second + last
    for first in ("ba", "ke", "li", "mo", "nu", "sa", "te", "vi")
    for middle in ("ran", "sel", "tim", "dor", "fun", "gal")
    for second in ("", "be", "do", "ja", "ku", "pi")
    for last in ("a", "er", "in", "os", "um", "el", "ix")
]


def make_text(seed: int, words: int = 200) -> str:
    """Return a text that has nothing in common with that of another seed."""
    chosen = random.Random(seed)
    return " ".join(chosen.choice(WORDS) + ("." if n % 12 == 11 else "") for n in range(words))


def revise(original: str, seed: int, share: float = 0.03, *, first: int = 0) -> str:
    """Replace a share of the words, from the word number `first` on."""
    chosen = random.Random(seed)
    words = original.split()
    for place in range(first, len(words)):
        if chosen.random() < share:
            words[place] = chosen.choice(WORDS)
    return " ".join(words)


# Words without which no English sentence is, the most frequent first.
FUNCTION_WORDS = """
    the of and a to in is that it was for on with as be by at this from not or which but are had his
    they have an she were you been their one will all we can if there who no when her so would
""".split()  # noqa: SIM905
# Words that a text has besides.
_OWN_WORDS = 600


@cache
def _vocabulary() -> list[str]:
    chosen = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(chosen.choices(letters, k=chosen.randint(5, 9))) for _ in range(120_000)]


def make_prose(seed: int, sentences: int, words: int = 15) -> list[str]:
    """Return sentences of function words and, mostly, words that no other seed up to 200 has.

    Some words are frequent and many rare, as in any language.
    """
    own = seed % 200 * _OWN_WORDS
    vocabulary = [*FUNCTION_WORDS, *_vocabulary()[own : own + _OWN_WORDS]]
    weights = accumulate(1 / (place + 10) for place in range(len(vocabulary)))
    chosen = random.Random(seed).choices(vocabulary, cum_weights=list(weights), k=sentences * words)
    return [f"{' '.join(chosen[start : start + words])}." for start in range(0, len(chosen), words)]
