"""Spellings of the words of two texts; profiles know words in normal form only."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.words import (
    Word,
    count_written,
    has_no_spaces,
    normals_of,
    words_with_offsets,
)
from es_simhash.text.memo import Memo

# Units behind a number are written with few letters: 5bn, 3 km, 20 Mio.
_LONGEST_UNIT = 3
# What may stand between a number and its unit.
_BETWEEN = " \u00a0\u202f-"

# More words that overlap are not joined: they are one sign that is repeated, and what is joined is
# looked for in the other text as it grows.
_LONGEST_RUN = 256

# How often a text has each form of a word, by the word in normal form.
Written = Mapping[str, Mapping[str, int]]


class Spellings:
    """Spellings of words in two texts; a word of neither is written as it is.

    Args:
        texts: The query and the hit.
        language: ISO 639-1 code of their words.
        packages: Packages by which they were read.
    """

    def __init__(self, texts: tuple[str, str], language: str, packages: Collection[str]) -> None:
        self._texts = texts
        self.language = language
        self._has_jieba = language == "zh" and "jieba" in packages

    @cached_property
    def _written(self) -> tuple[Written, Written]:
        query, hit = (_written(text, self.language, self._has_jieba) for text in self._texts)
        return query, hit

    def form(self, word: str) -> str:
        """Return how a word is written most often: by the query, or else by the hit."""
        ours, theirs = (written.get(word, {}) for written in self._written)
        forms = ours.keys() | theirs.keys()
        if len(forms) == 1:
            return next(iter(forms))
        return max(
            [*ours, *theirs],
            key=lambda form: (ours.get(form, 0), theirs.get(form, 0), form == form.lower()),
            default=word,
        )

    def form_in(self, side: int, word: str) -> str:
        """Return how one text writes a word most often: the query is side 0, the hit side 1."""
        forms = self._written[side].get(word, {})
        return max(forms, key=lambda form: (forms[form], form == form.lower()), default=word)

    def has_word(self, side: int, word: str) -> bool:
        """Check whether one text has a word in normal form."""
        return word in self._written[side] or (has_no_spaces(word) and word in self._texts[side])

    def has_name(self, side: int, name: str) -> bool:
        """Check whether one text has a name as whole words, in whatever case."""
        folded = name.casefold()
        if has_no_spaces(name):
            return folded in self._folded[side]
        return _has_whole(self._folded[side], folded)

    def is_unit(self, word: str) -> bool:
        """Check whether one text has a word as a unit of numbers alone, such as bn in $5bn.

        Single letters are no evidence either, except of scripts without spaces.
        """
        (query, hit), (ours, theirs) = self._texts, self._written
        return _is_unit(query, ours.get(word, ())) or _is_unit(hit, theirs.get(word, ()))

    def both_have(self, name: str) -> bool:
        """Check whether both texts have a name as whole words, in whatever case."""
        return self.has_name(0, name) and self.has_name(1, name)

    @cached_property
    def _folded(self) -> tuple[str, str]:
        query, hit = map(_folded, self._texts)
        return query, hit

    def joined(self, words: Collection[str]) -> Iterator[tuple[str, list[str]]]:
        """Yield what both texts write of words that overlap, each with the words in it.

        Scripts without spaces are read two characters at a time where no dictionary divides them.

        Args:
            words: Shared words in normal form.
        """
        if not self._overlap(words):
            return
        query, hit = self._texts
        written: dict[str, list[str]] = {}
        is_in_hit = Memo(hit.__contains__)
        for run in _overlapping(words_with_offsets(query, self.language), words):
            start, first = run[0].start, 0
            for place, word in enumerate(run):
                if not is_in_hit[query[start : word.end]]:
                    _keep(written, query[start : run[place - 1].end], run[first:place])
                    start, first = word.start, place
            _keep(written, query[start : run[-1].end], run[first:])
        yield from _longest(written, words)

    def joined_in(self, side: int, words: Collection[str]) -> Iterator[tuple[str, list[str]]]:
        """Yield what one text writes of words that overlap, each with the words in it.

        Args:
            side: 0 for the query, 1 for the hit.
            words: Words in normal form.
        """
        if not self._overlap(words):
            return
        text = self._texts[side]
        written: dict[str, list[str]] = {}
        for run in _overlapping(words_with_offsets(text, self.language), words):
            _keep(written, text[run[0].start : run[-1].end], run)
        yield from _longest(written, words)

    def _overlap(self, words: Collection[str]) -> bool:
        """Check whether words may be pairs of characters that no dictionary divides."""
        return not self._has_jieba and any(len(word) == 2 and has_no_spaces(word) for word in words)


def _longest(
    written: Mapping[str, Sequence[str]], words: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the longest of what is written first, each with the words that no longer one has."""
    left = set(words)
    for text in sorted(written, key=lambda text: (-len(text), text)):
        inside = [word for word in written[text] if word in left]
        if len(inside) > 1:
            left.difference_update(inside)
            yield text, inside


@lru_cache(maxsize=16)
def _folded(text: str) -> str:
    """Return a text in one case with single spaces; kept, as `_written` is."""
    return " ".join(text.split()).casefold()


@lru_cache(maxsize=16)
def _written(text: str, language: str, has_jieba: bool) -> Written:
    """Return how a text writes its words; kept, as a query is compared with several hits."""
    written: dict[str, dict[str, int]] = {}
    if has_jieba:
        words = chinese.words_with_offsets(text)
        pairs = Counter((word.normal, text[word.start : word.end]) for word in words)
        for (normal, form), count in pairs.items():
            written.setdefault(normal, {})[form] = count
        return written
    forms = count_written(text, language)
    for normal, (form, count) in zip(normals_of(forms, language), forms.items(), strict=True):
        if normal in written:
            written[normal][form] = count
        else:
            written[normal] = {form: count}
    return written


def _is_unit(text: str, forms: Collection[str]) -> bool:
    if not forms or max(map(len, forms)) > _LONGEST_UNIT:
        return False
    if all(len(form) == 1 and not has_no_spaces(form) for form in forms):
        return True
    is_behind_number = [
        text[max(0, place - 3) : place].rstrip(_BETWEEN)[-1:].isdigit()
        for form in forms
        for place in _places(text, form)
    ]
    return bool(is_behind_number) and all(is_behind_number)


def _places(text: str, form: str) -> Iterator[int]:
    """Yield where a word begins in a text."""
    spaceless = has_no_spaces(form)
    for start, before, after in _found(text, form, len(form)):
        if spaceless or not (before.isalpha() or after.isalpha()):
            yield start


def _has_whole(text: str, part: str) -> bool:
    """Check whether a text has a part with no word character on either side."""
    found = _found(text, part, 1)
    return any(not (_is_of_word(before) or _is_of_word(after)) for _, before, after in found)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _found(text: str, part: str, step: int) -> Iterator[tuple[int, str, str]]:
    """Yield where a text has a part, with the character before it and the one after it.

    Compiling a regular expression for each word takes ten times as long as finding it.

    Args:
        text: The text.
        part: What is looked for; not empty.
        step: How many characters behind the beginning of one the next may begin.
    """
    start = text.find(part)
    while start >= 0:
        end = start + len(part)
        yield start, text[max(0, start - 1) : start], text[end : end + 1]
        start = text.find(part, start + step)


def _overlapping(words: Sequence[Word], wanted: Collection[str]) -> Iterator[list[Word]]:
    """Yield runs of wanted words of which each begins inside the one before."""
    run: list[Word] = []
    for word in words:
        is_end = word.normal not in wanted or len(run) == _LONGEST_RUN
        if run and (is_end or word.start >= run[-1].end):
            yield run
            run = []
        if word.normal in wanted:
            run.append(word)
    if run:
        yield run


def _keep(written: dict[str, list[str]], text: str, words: Sequence[Word]) -> None:
    if len(words) > 1:
        written[text] = list(dict.fromkeys(word.normal for word in words))
