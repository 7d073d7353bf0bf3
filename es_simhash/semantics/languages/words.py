"""Words of a text in normal form, without a model: letter runs, stop lists, a light stemmer.

The normal form is lower case, composed (NFC), with a plain apostrophe; English words also lose
the possessive and the plural. Scripts that put no spaces between words (Chinese,
Japanese, Thai, Lao, Khmer, Burmese) yield bigrams of characters.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from es_simhash.semantics.languages.word_lists import is_stop_word, stop_words
from es_simhash.text.characters import IGNORED, MARK, STANDALONE, class_ranges
from es_simhash.text.marks import composed
from es_simhash.text.memo import Memo

# Languages that write short words onto the next one (l'homme), and those that write endings
# behind an apostrophe (Ankara'da).
ELIDING = frozenset({"ca", "fr", "it", "lb"})
SUFFIXING = frozenset({"az", "tr"})
STEMMED = frozenset({"en"})
# Same length on both sides, so that offsets stay.
_PLAIN = str.maketrans({"’": "'", "İ": "I"})
_PLAIN_TURKIC = str.maketrans({"’": "'", "İ": "i", "I": "ı"})
_ASCII = {
    False: re.compile(r"[A-Za-z]+(?:'+[A-Za-z]+)*"),
    True: re.compile(r"[A-Za-z]+"),
}
# No word goes on behind these, though a soft hyphen is no letter of one.
_ENDS = ("'\u00ad", "’\u00ad")
# Numbers that Unicode counts among the letters of words.
NUMERALS = "²³¹¼½¾"


class Word(NamedTuple):
    """A word in normal form and its offsets in the text, in characters."""

    normal: str
    start: int
    end: int


class _Letters(NamedTuple):
    """Expressions over all letters, from the character classes of the fingerprints."""

    whole: re.Pattern[str]
    eliding: re.Pattern[str]
    spaceless: re.Pattern[str]
    pieces: re.Pattern[str]
    clusters: re.Pattern[str]
    ignored: re.Pattern[str]


def count_words(text: str, language: str) -> dict[str, int]:
    """Count the words of a text in normal form, without stop words.

    The language is an ISO 639-1 code; without a stop list for it no word is dropped.
    """
    return _counted(_forms(text, language), _content_words(language))


def count_forms(text: str, language: str) -> dict[str, int]:
    """Count the words of a text as they are inflected, in lower case, without stop words.

    Word vectors are looked up by these forms; `fold_forms` turns them into normal forms.
    """
    return _counted(_forms(text, language), _content_forms(language))


def count_others(text: str, language: str) -> dict[str, int]:
    """Count the stop words of a text in normal form: all that `count_words` leaves out."""
    counts: Counter[str] = Counter()
    for word, count in count_written(text, language).items():
        counts[_written_forms(language)[word]] += count
    return {word: count for word, count in counts.items() if word and is_stop_word(word, language)}


def fold_forms(forms: Mapping[str, int], language: str) -> dict[str, int]:
    """Return the counts by normal form, as `count_words` returns them for the same text."""
    if language not in STEMMED:
        return dict(forms)
    counts: dict[str, int] = {}
    normals = map(_normal_forms(language).__getitem__, forms)
    for normal, count in zip(normals, forms.values(), strict=True):
        counts[normal] = counts.get(normal, 0) + count
    return counts


def _counted(forms: list[str], cache: Memo[str, str]) -> dict[str, int]:
    # itemgetter looks all forms up in one call, and wants two of them at least.
    counts = Counter(itemgetter(*forms, "", "")(cache))
    del counts[""]
    return dict(counts)


def words_with_offsets(text: str, language: str) -> list[Word]:
    """Return the words of a text with their offsets, in order; stop words are included."""
    plain = _plain(text, language)
    spans = list(_spans(plain, language))
    # ASCII letters keep their offsets in lower case; others may become two characters.
    lower = plain.lower() if plain.isascii() else ""
    forms = [lower[start:end] if lower else _lower(plain[start:end]) for start, end in spans]
    normals = map(_normal_forms(language).__getitem__, forms)
    return [Word(normal, *span) for normal, span in zip(normals, spans, strict=True)]


def count_written(text: str, language: str) -> Counter[str]:
    """Count the words of a text as they are written; stop words are included."""
    plain = _plain(text, language)
    if plain.isascii() and plain == text:
        return Counter(_ASCII[language in ELIDING].findall(text))
    return Counter([text[start:end] for start, end in _spans(plain, language)])


def normals_of(written: Iterable[str], language: str) -> list[str]:
    """Return the normal forms of words as they are written, as `words_with_offsets` does."""
    return list(map(_written_forms(language).__getitem__, written))


def _forms(text: str, language: str) -> list[str]:
    """Return the words of a text in lower case, perhaps with apostrophes around them."""
    if language not in SUFFIXING and not any(end in text for end in _ENDS):
        # Four times as fast as a regular expression, and enough for most Western texts.
        codec = "ascii" if text.isascii() else "cp1252"
        try:
            western = text.encode(codec)
        except UnicodeEncodeError:
            pass
        else:
            table = _western_letters(eliding=language in ELIDING)
            return western.translate(table, b"\xad").decode(codec).split()
    plain = _plain(text, language)
    return [_lower(plain[start:end]) for start, end in _spans(plain, language)]


@lru_cache(maxsize=2)
def _western_letters(*, eliding: bool) -> bytes:
    """Return the table from bytes to lower-case letters and apostrophes; the rest is a space."""
    table = bytearray(b" " * 256)
    for byte in range(256):
        letter = bytes([byte]).decode("cp1252", "replace")
        if letter.isalpha():
            table[byte] = letter.lower().encode("cp1252")[0]
        elif letter in "'’" and not eliding:
            table[byte] = ord("'")
    return bytes(table)


def _plain(text: str, language: str) -> str:
    if language in SUFFIXING:
        return text.translate(_PLAIN_TURKIC)
    return text if text.isascii() else text.translate(_PLAIN)


def _lower(form: str) -> str:
    lower = form.lower()
    return lower if lower.isascii() else composed(lower)


def _spans(plain: str, language: str) -> Iterator[tuple[int, int]]:
    """Return the bounds of the words of a text with plain apostrophes."""
    eliding = language in ELIDING
    if plain.isascii():
        return (match.span() for match in _ASCII[eliding].finditer(plain))
    letters = _letters()
    pattern = letters.eliding if eliding else letters.whole
    spans = (match.span() for match in pattern.finditer(plain))
    if not has_no_spaces(plain):
        return spans
    return (piece for span in spans for piece in _pieces(plain, *span))


def _pieces(plain: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the words in a run of letters that has scripts without spaces."""
    letters = _letters()
    for piece in letters.pieces.finditer(plain, start, end):
        if not letters.spaceless.match(piece.group()):
            yield piece.span()
            continue
        bounds = [cluster.span() for cluster in letters.clusters.finditer(plain, *piece.span())]
        pairs = zip(bounds, bounds[1:] or bounds, strict=False)
        yield from ((first[0], second[1]) for first, second in pairs)


@lru_cache(maxsize=128)
def _content_words(language: str) -> Memo[str, str]:
    # Without the caches below: at ingest they would store each word a second and a third time, and
    # never return one again.
    return Memo(lambda form: _content_word(form, language))


def _content_word(form: str, language: str) -> str:
    """Return the normal form of the content form of a word; empty of a stop word."""
    normal = normal_form(_bare(form.strip("'"), language), language)
    return "" if is_stop_word(normal, language) else normal


@lru_cache(maxsize=128)
def _content_forms(language: str) -> Memo[str, str]:
    words = _content_words(language)
    return Memo(lambda form: _bare(form.strip("'"), language) if words[form] else "")


def content_form(form: str, language: str) -> str:
    """Return a word in lower case without apostrophes around it and endings behind one.

    Of a stop word nothing is left.
    """
    bare = _bare(form.strip("'"), language)
    return "" if is_stop_word(normal_form(bare, language), language) else bare


@lru_cache(maxsize=128)
def _normal_forms(language: str) -> Memo[str, str]:
    return Memo(lambda form: normal_form(form, language))


@lru_cache(maxsize=128)
def _written_forms(language: str) -> Memo[str, str]:
    return Memo(lambda form: normal_form(_lower(_plain(form, language)), language))


def normal_form(form: str, language: str) -> str:
    """Return the normal form of a word in lower case; stop words stay as they are."""
    bare = _bare(form, language)
    if language in STEMMED and bare not in stop_words(language):
        return _stem(bare)
    return bare


def _bare(form: str, language: str) -> str:
    """Return the form without an ending after an apostrophe and without invisible characters."""
    if not form.isascii():
        form = _letters().ignored.sub("", form)
    return _without_ending(form, language) if "'" in form else form


def _without_ending(form: str, language: str) -> str:
    """Return the form without the endings behind its apostrophes; of what is left none is one."""
    if language in SUFFIXING:
        return form.lstrip("'").partition("'")[0]
    while form.endswith("'s"):
        form = form[:-2]
    return form


def _stem(word: str) -> str:
    """Return an English word without its plural ending (the S-stemmer)."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def has_no_spaces(text: str) -> bool:
    """Check whether a text has letters of a script without spaces between words."""
    return bool(_letters().spaceless.search(text))


@lru_cache(maxsize=1)
def _letters() -> _Letters:
    ignored, spaceless = class_ranges(IGNORED), class_ranges(STANDALONE)
    marks = class_ranges(MARK, IGNORED)
    letter = rf"[^\W\d_{NUMERALS}]"
    run = rf"{letter}+(?:[{marks}]+{letter}*)*"
    cluster, other = rf"[{spaceless}][{marks}]*", f"[^{spaceless}']"
    return _Letters(
        whole=re.compile(rf"{run}(?:'+{run})*"),
        eliding=re.compile(run),
        spaceless=re.compile(f"[{spaceless}]"),
        pieces=re.compile(rf"(?:{cluster})+|{other}+(?:'+{other}+)*"),
        clusters=re.compile(cluster),
        ignored=re.compile(f"[{ignored}]"),
    )
