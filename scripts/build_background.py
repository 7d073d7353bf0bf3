"""Write es_simhash/semantics/data/rarity_*.txt.gz from the lexeme probabilities of spaCy (MIT).

    pip download --no-deps spacy-lookups-data==1.0.5
    python scripts/build_background.py spacy_lookups_data-1.0.5-*.whl

Each line: a rarity in hundredths, and the words that have it, in order. Rarity is
max(0, 7 - max(2, zipf)), zipf = log10(occurrences in 10^9 words); forms with one normal form are
added up. Words rarer than the last rarity below 5 are left out: 5 is what unknown words get.
"""

import gzip
import json
import math
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

from es_simhash.semantics.languages.words import words_with_offsets

FOLDER = Path(__file__).parents[1] / "es_simhash" / "semantics" / "data"
# How many words of each language. The Greek list of the same package is left out: its accents
# are misplaced. Other languages have none there.
SIZES = {"de": 60000, "en": 60000, "es": 40000}
STEP = 5  # hundredths


def main() -> None:
    """Read the wheel named on the command line, write one file for each language."""
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        for language, size in SIZES.items():
            name = f"spacy_lookups_data/data/{language}_lexeme_prob.json.gz"
            probabilities = json.loads(gzip.decompress(wheel.read(name)))
            rarities = rarity_of(frequencies(probabilities, language), size)
            content = "".join(
                f"{level} {' '.join(sorted(words))}\n" for level, words in sorted(rarities.items())
            )
            target = FOLDER / f"rarity_{language}.txt.gz"
            # Without the time, so that a second run gives the same bytes.
            target.write_bytes(gzip.compress(content.encode(), 9, mtime=0))


def frequencies(probabilities: dict[str, float], language: str) -> dict[str, float]:
    """Add the probabilities of the forms of each word, in normal form, and make their sum one."""
    found: dict[str, float] = defaultdict(float)
    for form, logarithm in probabilities.items():
        words = words_with_offsets(form, language)
        if len(words) == 1 and words[0].end - words[0].start == len(form):
            found[words[0].normal] += math.exp(logarithm)
    total = sum(found.values())
    return {word: each / total for word, each in found.items()}


def rarity_of(frequencies: dict[str, float], size: int) -> dict[int, list[str]]:
    """Return the most frequent words by their rarity in hundredths, in steps."""
    kept = sorted(frequencies, key=lambda word: (-frequencies[word], word))[:size]
    levels: dict[int, list[str]] = defaultdict(list)
    for word in kept:
        rarity = max(0.0, 7 - max(2.0, math.log10(frequencies[word] * 1e9)))
        level = round(rarity * 100 / STEP) * STEP
        if level < 500:
            levels[level].append(word)
    return levels


if __name__ == "__main__":
    main()
