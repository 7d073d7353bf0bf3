"""Words of a text in their normal form, without a model: letter runs, stop lists, a light stemmer.

The normal form is lower case, composed (NFC), with a plain apostrophe; of English words also the
possessive and the plural are taken off. Scripts that put no spaces between words (Chinese,
Japanese, Thai, Lao, Khmer, Burmese) give pairs of neighbouring characters.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from operator import itemgetter
from typing import NamedTuple

# Languages that write short words onto the next one (l'homme), and those that write endings
# behind an apostrophe (Ankara'da).
_ELIDING = frozenset({"ca", "fr", "it", "lb"})
_SUFFIXING = frozenset({"az", "tr"})
_STEMMED = frozenset({"en"})
_ALIASES = {"nn": "nb", "no": "nb"}
# Same length on both sides, so that offsets stay.
_PLAIN = str.maketrans({"’": "'", "İ": "I"})
_PLAIN_TURKIC = str.maketrans({"’": "'", "İ": "i", "I": "ı"})
_ASCII = {
    False: re.compile(r"[A-Za-z]+(?:'+[A-Za-z]+)*"),
    True: re.compile(r"[A-Za-z]+"),
}
_NUMERALS = "²³¹¼½¾"
# How many forms of a language are remembered; forgetting them all at once is cheap and rare.
_MOST_REMEMBERED = 1 << 16


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


class _Memory(dict[str, str]):
    """What a function makes of each form seen so far."""

    def __init__(self, read: Callable[[str], str]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, form: str) -> str:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        self[form] = word = self._read(form)
        return word


def count_words(text: str, language: str) -> dict[str, int]:
    """Count the words of a text in normal form, without stop words.

    The language is an ISO 639-1 code; one without a stop list, or an empty one, drops nothing.
    """
    return _counted(_forms(text, language), _content_words(language))


def count_forms(text: str, language: str) -> dict[str, int]:
    """Count the words of a text as they are inflected, in lower case, without stop words.

    These are the words that word vectors know; `fold_forms` makes normal forms of them.
    """
    return _counted(_forms(text, language), _content_forms(language))


def fold_forms(forms: Mapping[str, int], language: str) -> dict[str, int]:
    """Return what `count_words` would have given for the text of these forms."""
    if language not in _STEMMED:
        return dict(forms)
    counts: dict[str, int] = {}
    normals = map(_normal_forms(language).__getitem__, forms)
    for normal, count in zip(normals, forms.values(), strict=True):
        counts[normal] = counts.get(normal, 0) + count
    return counts


def _counted(forms: list[str], memory: _Memory) -> dict[str, int]:
    # itemgetter looks all forms up in one call, and wants two of them at least.
    counts = Counter(itemgetter(*forms, "", "")(memory))
    del counts[""]
    return dict(counts)


def read_words(text: str, language: str) -> list[Word]:
    """Return the words of a text in order, with their places; stop words are among them."""
    plain = _plain(text, language)
    spans = list(_spans(plain, language))
    # Letters of ASCII have the same place in lower case; others may become two.
    lower = plain.lower() if plain.isascii() else ""
    forms = [lower[start:end] if lower else _lower(plain[start:end]) for start, end in spans]
    normals = map(_normal_forms(language).__getitem__, forms)
    return [Word(normal, *span) for normal, span in zip(normals, spans, strict=True)]


def is_stop(word: str, language: str) -> bool:
    """Check whether a word in normal form says nothing about the topic of a text."""
    if word in stop_words(language):
        return True
    # Hiragana without kanji are endings and particles, as a stop list would hold.
    return language == "ja" and all("ぁ" <= character <= "ゟ" for character in word)


def stop_words(language: str) -> frozenset[str]:
    """Return the stop list of a language; empty when there is none."""
    return stop_lists().get(_ALIASES.get(language, language), frozenset())


@lru_cache(maxsize=1)
def stop_lists() -> dict[str, frozenset[str]]:
    """Return the stop list of each language that has one (see NOTICE)."""
    content = (files("es_simhash.semantics") / "data" / "stop_words.txt").read_text("utf-8")
    rows = (line.split() for line in content.splitlines())
    return {language: frozenset(words) for language, *words in rows}


def _forms(text: str, language: str) -> list[str]:
    """Words of a text in lower case; apostrophes may still stand around them."""
    if language not in _SUFFIXING:
        # Four times as fast as a regular expression, and enough for most Western texts.
        codec = "ascii" if text.isascii() else "cp1252"
        try:
            western = text.encode(codec)
        except UnicodeEncodeError:
            pass
        else:
            table = _western_letters(eliding=language in _ELIDING)
            return western.translate(table, b"\xad").decode(codec).split()
    plain = _plain(text, language)
    return [_lower(plain[start:end]) for start, end in _spans(plain, language)]


@lru_cache(maxsize=2)
def _western_letters(*, eliding: bool) -> bytes:
    """Table from bytes to letters in lower case, apostrophes, and spaces for the rest."""
    table = bytearray(b" " * 256)
    for byte in range(256):
        letter = bytes([byte]).decode("cp1252", "replace")
        if letter.isalpha():
            table[byte] = letter.lower().encode("cp1252")[0]
        elif letter in "'’" and not eliding:
            table[byte] = ord("'")
    return bytes(table)


def _plain(text: str, language: str) -> str:
    if language in _SUFFIXING:
        return text.translate(_PLAIN_TURKIC)
    return text if text.isascii() else text.translate(_PLAIN)


def _lower(form: str) -> str:
    lower = form.lower()
    return lower if lower.isascii() else unicodedata.normalize("NFC", lower)


def _spans(plain: str, language: str) -> Iterator[tuple[int, int]]:
    """Bounds of the words of a text with plain apostrophes."""
    eliding = language in _ELIDING
    if plain.isascii():
        return (match.span() for match in _ASCII[eliding].finditer(plain))
    letters = _letters()
    pattern = letters.eliding if eliding else letters.whole
    spans = (match.span() for match in pattern.finditer(plain))
    if not letters.spaceless.search(plain):
        return spans
    return (piece for span in spans for piece in _pieces(plain, *span))


def _pieces(plain: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Bounds of the words in a run of letters, some of which stand in scripts without spaces."""
    letters = _letters()
    for piece in letters.pieces.finditer(plain, start, end):
        if not letters.spaceless.match(piece.group()):
            yield piece.span()
            continue
        bounds = [each.span() for each in letters.clusters.finditer(plain, *piece.span())]
        pairs = zip(bounds, bounds[1:] or bounds, strict=False)
        yield from ((first[0], second[1]) for first, second in pairs)


@lru_cache(maxsize=128)
def _content_words(language: str) -> _Memory:
    forms, normals = _content_forms(language), _normal_forms(language)
    return _Memory(lambda form: normals[forms[form]])


@lru_cache(maxsize=128)
def _content_forms(language: str) -> _Memory:
    def read(form: str) -> str:
        bare = _bare(form.strip("'"), language)
        return "" if is_stop(normal_form(bare, language), language) else bare

    return _Memory(read)


@lru_cache(maxsize=128)
def _normal_forms(language: str) -> _Memory:
    return _Memory(lambda form: normal_form(form, language))


def normal_form(form: str, language: str) -> str:
    """Return the normal form of a word in lower case; stop words stay as they are."""
    bare = _bare(form, language)
    if language in _STEMMED and bare not in stop_words(language):
        return _stem(bare)
    return bare


def _bare(form: str, language: str) -> str:
    """The form without endings behind an apostrophe and without characters nobody sees."""
    if not form.isascii():
        form = _letters().ignored.sub("", form)
    return _without_ending(form, language) if "'" in form else form


def _without_ending(form: str, language: str) -> str:
    """Take off what stands behind the last apostrophe, if it is an ending."""
    head, _, tail = form.rpartition("'")
    return head if tail == "s" or language in _SUFFIXING else form


def _stem(word: str) -> str:
    """Take off the plural of an English word (the S-stemmer)."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=1)
def _letters() -> _Letters:
    marks, ignored, spaceless = _class_of("34"), _class_of("4"), _class_of("2")
    letter = rf"[^\W\d_{_NUMERALS}]"
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


def _class_of(kinds: str) -> str:
    """Ranges of a regular expression for some classes of data/characters.txt.

    Only of the first plane: with them a search costs the same for each character, and beyond it
    are no marks of living scripts.
    """
    content = (files("es_simhash") / "data" / "characters.txt").read_text("ascii")
    runs = [line.split() for line in content.splitlines() if not line.startswith("#")]
    firsts = [int(first, 16) for first, _ in runs]
    ranges = "".join(
        f"{chr(first)}-{chr(after - 1)}"
        for first, after, (_, kind) in zip(firsts, firsts[1:], runs, strict=False)
        if kind in kinds and after <= 0x10000
    )
    # A zero width space separates words, in Khmer and Burmese on purpose.
    return ranges.replace("\u200b-", "\u200c-")
