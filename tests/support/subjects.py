"""Texts of six languages on three subjects that have nothing to do with each other."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.evidence import aligned_passages, shared_passages
from es_simhash.relation.relation import SharedPassage

FOLDER = Path(__file__).parent / "subject_texts"
LANGUAGES = ("en", "de", "zh", "ar", "hi", "id")

# For the passage about bees.
SYNONYMS = {
    "colony": "community", "decides": "determines", "live": "dwell", "leader": "chief",
    "hundred": "dozen", "leave": "abandon", "examine": "inspect", "hollow": "empty",
    "neighbourhood": "vicinity", "discovers": "finds", "suitable": "fitting",
    "advertise": "announce", "location": "position", "quality": "worth", "repeats": "performs",
    "follow": "pursue", "supporters": "adherents", "gather": "assemble", "entrance": "opening",
    "prepares": "readies", "depart": "fly off", "election": "vote", "dances": "wiggles",
}  # fmt: skip


@dataclass(frozen=True)
class Texts:
    """Two host texts and a passage of one language, as sentences.

    Attributes:
        harbour: About a harbour.
        school: About a school.
        bees: About bees: the passage that is copied into one of the others.
        space: What stands between two sentences.
    """

    harbour: Sequence[str]
    school: Sequence[str]
    bees: Sequence[str]
    space: str

    def join(self, *parts: Sequence[str]) -> str:
        """Return a text of sentences."""
        return self.space.join(sentence for part in parts for sentence in part)

    def host(self, passage: Sequence[str], sentences: Sequence[str], after: int) -> str:
        """Return a text with a passage after so many of its sentences."""
        return self.join(sentences[:after], passage, sentences[after:])


def texts_of(language: str) -> Texts:
    """Read the texts of one language."""
    parts = (FOLDER / f"{language}.txt").read_text("utf-8").split("# ")[1:]
    harbour, school, bees = (part.splitlines()[1:] for part in parts)
    return Texts(harbour, school, bees, "" if language == "zh" else " ")


def shared(query: str, hit: str) -> tuple[SharedPassage, ...]:
    """Return the passages of two texts, in the order of the query."""
    one, other = AnalysedText(query), AnalysedText(hit)
    passages = shared_passages(one, other, aligned_passages(one, other))
    return tuple(sorted(passages, key=lambda passage: passage.query.start))


def words_of(sentence: str) -> list[str]:
    """Return the words of a sentence without its full stop; Chinese as pairs of characters."""
    bare = sentence.rstrip(".。।")
    if " " in bare:
        return bare.split(" ")
    return [bare[place : place + 2] for place in range(0, len(bare), 2)]


def sentence_of(words: Sequence[str], original: str) -> str:
    """Return a sentence of words, with the full stop of another."""
    return (" " if " " in original else "").join(words) + original[-1]


def dropped(sentences: Sequence[str], share: float = 0.15) -> list[str]:
    """Leave out a share of the words."""
    chosen = random.Random(7)
    return [
        sentence_of([word for word in words_of(each) if chosen.random() >= share], each)
        for each in sentences
    ]


def shuffled(sentences: Sequence[str], window: int = 3) -> list[str]:
    """Shuffle the words of each sentence, each within a window of so many."""
    chosen = random.Random(8)
    changed = []
    for each in sentences:
        words = words_of(each)
        for start in range(0, len(words), window):
            part = words[start : start + window]
            chosen.shuffle(part)
            words[start : start + window] = part
        changed.append(sentence_of(words, each))
    return changed


def reworded(sentences: Sequence[str]) -> list[str]:
    """Replace the words of English sentences about bees that have a synonym."""
    return [
        sentence_of([SYNONYMS.get(word, word) for word in words_of(each)], each)
        for each in sentences
    ]
