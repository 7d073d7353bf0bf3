"""How often English nouns are told from other words by the lexicon and its suffixes.

    python -m tests.bench.parts_of_speech

The evaluation data has the nouns of WordNet and its synonyms of every part of speech: a word that
has synonyms and is no noun is a verb, an adjective or an adverb. Verbs are not told from these
there. Prints the shares that are right of all words, and of those among the 5,000 most frequent.
"""

from collections.abc import Collection

from es_simhash.lab.methods.parts_of_speech import NOUN, english_kind
from tests.bench.program import run
from tests.bench.synthetic import frequent_words
from tests.support import datasets

SET = "wordnet_en"
_FREQUENT = 5000


def nouns() -> set[str]:
    """Return the words that WordNet has as nouns, and maybe as something else."""
    rows = datasets.rows(SET, "synsets.tsv")
    return {word for row in rows for word in row["members"].split("|") if _is_word(word)}


def words_with_synonyms() -> set[str]:
    """Return the words of every part of speech that have synonyms."""
    lines = datasets.data_file(SET, "synonyms.txt").read_text("utf-8").splitlines()
    words = (word.strip() for line in lines if not line.startswith("#") for word in line.split(","))
    return {word for word in words if _is_word(word)}


def _is_word(word: str) -> bool:
    return word.isascii() and word.isalpha() and word.islower()


def report(title: str, known: Collection[str], others: Collection[str]) -> None:
    """Print how many nouns are called nouns, and how many other words are not."""
    right = sum(english_kind(word) == NOUN for word in known) / len(known)
    not_called = sum(english_kind(word) != NOUN for word in others) / len(others)
    total = (right * len(known) + not_called * len(others)) / (len(known) + len(others))
    print(
        f"{title}: {total:.3f} right; {right:.3f} of {len(known)} nouns are called nouns, "
        f"{not_called:.3f} of {len(others)} other words are not"
    )


def main() -> None:
    """Print one line for all words, and one for the frequent ones."""
    known = nouns()
    others = words_with_synonyms() - known
    report("all", known, others)
    frequent = set(frequent_words("en")[:_FREQUENT])
    report("frequent", known & frequent, others & frequent)


if __name__ == "__main__":
    run(main)
