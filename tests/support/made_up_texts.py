"""Texts of made-up words, which have nothing in common unless one is made from another."""

import random

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
