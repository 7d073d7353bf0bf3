"""What counting the background of an index did."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from es_simhash.semantics.background import MIN_DOCUMENTS, Background
from es_simhash.text.counting import counted


@dataclass(frozen=True)
class LearnedReport:
    """What learning the vectors of an index did.

    Attributes:
        name: Name of the word vectors; None where there were too few texts, and what was stored
            stays.
        words: Words that have a vector.
        replaced: Name of those that were stored before; None without any.
    """

    name: str | None
    words: int = 0
    replaced: str | None = None

    def sentence(self, backfill: str) -> str:
        """Return the report in one or two sentences.

        Args:
            backfill: Command that gives documents the vectors.
        """
        if self.name is None:
            stay = f" {self.replaced} stays." if self.replaced else ""
            return (
                f"No vectors were learned: {MIN_DOCUMENTS} different texts of one language are "
                f"needed. Until then the shipped ones of English count.{stay}"
            )
        learned = f"Vectors {self.name} of {self.words} words were learned"
        if self.replaced == self.name:
            return f"{learned}; they are those of before."
        return (
            f"{learned}. Run `{backfill}` to give them to documents; until then these are compared "
            "by the shipped vectors of English, concepts and names."
        )


@dataclass(frozen=True)
class BackgroundReport:
    """What counting the background of an index did.

    Attributes:
        index: The index that has the texts.
        name: Name of the background that is stored now; None for none.
        date: When it was counted, in ISO 8601 and UTC.
        languages: Different texts that were counted, by ISO 639-1 code, of languages with enough;
            the code of an unknown language is empty.
        too_few: The same of languages with too few, for which general word frequencies count.
        replaced: Name of the background that was stored before; None without one, or where it
            stays.
        drift: Mean difference of the weights of common words from those before, from 0 to 1; None
            where none could be compared.
        problem: Why none was counted; None where nothing failed. What was stored before stays.
        vectors: The vectors that were to be learned; None where there were none to learn.
        can_learn: Whether the index has texts enough for vectors of its own, and has none yet.
        sidecar: The sidecar that has the fingerprints; None where the index has them.
    """

    index: str
    name: str | None = None
    date: str | None = None
    languages: Mapping[str, int] = field(default_factory=dict)
    too_few: Mapping[str, int] = field(default_factory=dict)
    replaced: str | None = None
    drift: float | None = None
    problem: str | None = None
    vectors: LearnedReport | None = None
    can_learn: bool = False
    sidecar: str | None = None

    @property
    def documents(self) -> int:
        """Different texts of the background."""
        return sum(self.languages.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the report as it is printed in JSON."""
        return {**asdict(self), "documents": self.documents}

    def sentence(self) -> str:
        """Return the report in some sentences."""
        own = self._own_sentence()
        if self.vectors is not None:
            return f"{own} {self.vectors.sentence(self._backfill)}"
        if not self.can_learn:
            return own
        return (
            f"{own} There are texts enough for vectors of its own: run `es-simhash background "
            f"{self.sidecar or self.index} --vectors`, then `{self._backfill}`."
        )

    @property
    def _backfill(self) -> str:
        sidecar = "" if self.sidecar is None else f" --sidecar {self.sidecar}"
        return f"es-simhash backfill {self.index}{sidecar}"

    def _own_sentence(self) -> str:
        before = f" It replaces {self.replaced}{self._drifted}." if self.replaced else ""
        if self.problem is not None:
            return f"No background was counted: {self.problem}"
        if self.name is None:
            texts = sum(self.too_few.values())
            gone = f" {self.replaced} is removed." if self.replaced else ""
            return (
                f"No background: {texts} different texts, and {MIN_DOCUMENTS} of one language are "
                f"needed. General word frequencies count.{gone}"
            )
        return (
            f"Background {self.name} of {counted(self.documents, 'text')} ({self._codes}).{before}"
        )

    @property
    def _drifted(self) -> str:
        return "" if self.drift is None else f", from which it differs by {self.drift:.2f}"

    @property
    def _codes(self) -> str:
        return ", ".join(f"{code or 'other'} {count}" for code, count in self.languages.items())


def languages_of(background: Background) -> dict[str, int]:
    """Return how many texts of each language a background has."""
    return {code: language.documents for code, language in background.languages.items()}
