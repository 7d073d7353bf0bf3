"""Where a text has what it shares with another one: in its title, below it, or in a field."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from es_simhash.semantics.languages.words import (
    count_words,
    count_written,
    has_no_spaces,
    normals_of,
)
from es_simhash.semantics.semantic_similarity import SharedConcept
from es_simhash.semantics.spellings import Spellings

TITLE, TEXT = "title", "text"
# Prefix of the name of a field that holds entities.
FIELD = "field:"


@dataclass(frozen=True)
class WordPlaces:
    """Where one of two texts has words and names.

    Attributes:
        side: 0 for the query, 1 for the hit.
        spellings: Spellings of words in both texts.
        title: The title of the text; empty without one.
        fields: Names that fields of its document hold, by field.
    """

    side: int
    spellings: Spellings
    title: str = ""
    fields: Mapping[str, Collection[str]] = field(default_factory=dict)

    def place(self, shown: str, words: Collection[str], *, is_entity: bool) -> str:
        """Return where the text has a word or a name; `text` where that is not known.

        What a field alone has is never said to be in the text, as those who may read the text need
        not be allowed to read the field.

        Args:
            shown: The word or the name as it is shown.
            words: Its words in normal form.
            is_entity: Whether it is the name of an entity.
        """
        if self.title and self._has_title(shown, words):
            return TITLE
        if self.fields and not self._has_text(shown, words, is_entity=is_entity):
            holding = (name for name in self.fields if self._holds(name, shown, words, is_entity))
            place = next(holding, None)
            if place is not None:
                return FIELD + place
        return TITLE if is_entity and not self._title_words.isdisjoint(words) else TEXT

    def _has_title(self, shown: str, words: Collection[str]) -> bool:
        if has_no_spaces(shown):
            return shown in self.title
        return bool(words) and self._title_words.issuperset(words)

    def _has_text(self, shown: str, words: Collection[str], *, is_entity: bool) -> bool:
        if self.spellings.has_name(self.side, shown):
            return True
        return not is_entity and any(self.spellings.has_word(self.side, word) for word in words)

    def _holds(self, name: str, shown: str, words: Collection[str], is_entity: bool) -> bool:
        held = self.fields[name]
        if shown.casefold() in {value.casefold() for value in held}:
            return True
        language = self.spellings.language
        return not is_entity and any(
            not count_words(value, language).keys().isdisjoint(words) for value in held
        )

    @cached_property
    def _title_words(self) -> frozenset[str]:
        language = self.spellings.language
        return frozenset(normals_of(count_written(self.title, language), language))


def placed(
    shared: Iterable[SharedConcept], query: WordPlaces, hit: WordPlaces
) -> tuple[SharedConcept, ...]:
    """Return shared concepts with where both texts have them."""
    return tuple(
        replace(concept, in_query=_place(concept, query), in_hit=_place(concept, hit))
        for concept in shared
    )


def _place(concept: SharedConcept, places: WordPlaces) -> str:
    words = count_words(concept.text, places.spellings.language) or [concept.text.casefold()]
    return places.place(concept.text, list(words), is_entity=concept.is_entity)
