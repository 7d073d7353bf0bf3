"""Stored fingerprints and block keys of each method, computed a second time in plain Python.

Sums, hashes, rounding and keys are those of `slow_methods` and of this module. Words, entities,
rarities and parts of speech are looked up in the package: they are data, not steps.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, combinations
from typing import NamedTuple

from es_simhash.lab.methods.concept_method import concepts_of
from es_simhash.lab.methods.parts_of_speech import kinds_of
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.detection import detect_language
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.rarity import rarity
from tests.support import reference, slow_methods

LEAST_TOKENS, MOST_TOKENS = 8, 60
DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+")
MARKERS = ("conclusion", "finally", "therefore", "最后", "所以", "总之")
KIND_WEIGHTS = {"noun": 3, "verb": 2}
# In how many bits two sentences are close.
CLOSE_BITS = {16: 1, 32: 3, 64: 8}
CONCEPT_DISTANCE, CONSTANT_RARITY, SHORT_PARAGRAPH = 12, 3.0, 80
BANDS, ROWS = 20, 10


class Stored(NamedTuple):
    """What is stored of a text: its fingerprints as bytes, and its block keys, ascending."""

    fingerprints: list[bytes]
    blocks: list[str]


def key(number: int, bits: int) -> str:
    """Return a number as a block key: the digits that so many bits need."""
    length = math.ceil(bits / 6)
    return "".join(DIGITS[number >> 6 * place & 63] for place in range(length - 1, -1, -1))


def table_keys(value: int, bits: int, tables: list[list[int]]) -> list[str]:
    """Return the key of each table: its number, then the bits that it is led by.

    Args:
        value: The fingerprint.
        bits: Its bits.
        tables: The positions of the leading bits of each, the highest bit being 0.
    """
    digits = f"{value:0{bits}b}"
    widest = max(map(len, tables))
    table_bits = (len(tables) - 1).bit_length()
    return [
        key(table << widest | int("".join(digits[place] for place in places), 2),
            widest + table_bits)
        for table, places in enumerate(tables)
    ]  # fmt: skip


def block_tables(bits: int, blocks: int, led_by: int) -> list[list[int]]:
    """Return the positions of every choice of blocks."""
    parts, start = [], 0
    for block in range(blocks):
        size = bits // blocks + (block < bits % blocks)
        parts.append(list(range(start, start + size)))
        start += size
    return [list(chain.from_iterable(chosen)) for chosen in combinations(parts, led_by)]


def token_tables() -> list[list[int]]:
    """Return those of the token scheme: a quarter, and a quarter of the rest."""
    tables = []
    for outer in range(4):
        rest = [place for place in range(64) if place // 16 != outer]
        for inner in range(4):
            tables.append(
                sorted([*range(16 * outer, 16 * outer + 16), *rest[12 * inner : 12 * inner + 12]])
            )
    return tables


def stored(values: Iterable[int], bits: int, tables: list[list[int]]) -> Stored:
    numbers = list(values)
    keys = {one for value in numbers for one in table_keys(value, bits, tables)}
    return Stored([value.to_bytes(bits // 8, "big") for value in numbers], sorted(keys))


def tokens(text: str) -> Stored:
    found = slow_methods.tokens(ADDRESS.sub(" ", reference.normalise(text)))
    rows = [(slow_methods.lookup8(token.encode()), 1) for token in found]
    return stored([slow_methods.signed_sum(rows, 64)] if rows else [], 64, token_tables())


def windows(text: str) -> Stored:
    found, _ = reference.tokens_and_boundaries(reference.normalise(text))
    values = [slow_methods.character_windows(text)] if found else []
    return stored(values, 64, block_tables(64, 6, 3))


def sentences(text: str, bits: int) -> Stored:
    found, boundaries = reference.tokens_and_boundaries(reference.normalise(text))
    values = []
    for begin, end in reference.chunks(len(found), boundaries, LEAST_TOKENS, MOST_TOKENS):
        spaced = "".join(f" {token}" for token in found[begin:end])
        bigrams = {spaced[place : place + 2] for place in range(len(spaced) - 1)}
        rows = [(slow_methods.bigram_hash(bigram, bits), 1) for bigram in bigrams]
        values.append(slow_methods.signed_sum(rows, bits))
    return stored(values, bits, block_tables(bits, CLOSE_BITS[bits] + 2, 2))


def min_hashes(text: str, family: str) -> Stored:
    if not any(map(str.isalnum, reference.normalise(text))):
        return Stored([], [])
    values = slow_methods.signature(text, family, BANDS * ROWS)
    keys = []
    for band in range(BANDS):
        number = reference.fold(values[band * ROWS : (band + 1) * ROWS])
        keys.append(key(reference.xxh64(number, band) >> 16, 48))
    return Stored([b"".join(value.to_bytes(4, "big") for value in values)], sorted(keys))


def words_of(text: str, language: str) -> Mapping[str, int]:
    return Counter(chinese.words(text)) if language == "zh" else count_words(text, language)


def weighted(text: str) -> Stored:
    language = detect_language(text)
    counts = words_of(text, language) if language in ("en", "zh") else {}
    if not counts:
        return Stored([], [])
    first, _, rest = text.strip().partition("\n")
    titled = words_of(first, language) if rest and len(first) <= 100 else {}
    shares = {word: 10 ** float(rarity([word], language)[0]) for word in counts}
    kinds = kinds_of(counts, language)
    weights = slow_methods.zhang_he(
        counts,
        shares,
        kind={word: KIND_WEIGHTS.get(kinds[word], 1) for word in counts},
        marker={word: 5 for word in counts if word in MARKERS},
        title={word: 5 for word in counts if word in titled},
    )
    return stored([slow_methods.weighted(weights)], 64, block_tables(64, 6, 3))


def paragraphs(text: str) -> list[str]:
    parts: list[str] = []
    for part in re.split(r"\n[^\S\n]*\n\s*", text):
        if not part.strip():
            continue
        if parts and len(parts[-1]) < SHORT_PARAGRAPH:
            parts[-1] += "\n" + part
        else:
            parts.append(part)
    return parts


def concepts(text: str, *, by_paragraph: bool, plain: bool) -> Stored:
    language = detect_language(text)
    values = []
    for part in paragraphs(text) if by_paragraph else [text]:
        counts = concepts_of(part, language)
        if not counts:
            continue
        rare = {concept: _rarity(concept, language) for concept in counts}
        weights = {
            concept: 1.0 if plain else (1 + math.log(count)) * rare[concept]
            for concept, count in counts.items()
        }
        if any(weights.values()):
            values.append(slow_methods.weighted(weights))
    return stored(values, 64, block_tables(64, CONCEPT_DISTANCE + 2, 2))


def _rarity(concept: str, language: str) -> float:
    """Return the rarity of the rarest word; only some languages have a list."""
    if language not in ("de", "en", "es", "zh"):
        return CONSTANT_RARITY
    return max(float(rarity([word], language)[0]) for word in concept.split())


FINGERPRINTS: dict[str, Callable[[str], Stored]] = {
    "concept-simhash-doc": lambda text: concepts(text, by_paragraph=False, plain=False),
    "concept-simhash-doc-plain": lambda text: concepts(text, by_paragraph=False, plain=True),
    "concept-simhash-par": lambda text: concepts(text, by_paragraph=True, plain=False),
    "concept-simhash-par-plain": lambda text: concepts(text, by_paragraph=True, plain=True),
    "minhash-modular": lambda text: min_hashes(text, "modular"),
    "minhash-multiplicative": lambda text: min_hashes(text, "multiplicative"),
    "minhash-murmur3": lambda text: min_hashes(text, "murmur3"),
    "simhash-4grams": windows,
    "simhash-bigrams-16": lambda text: sentences(text, 16),
    "simhash-bigrams-32": lambda text: sentences(text, 32),
    "simhash-bigrams-64": lambda text: sentences(text, 64),
    "token-simhash": tokens,
    "weighted-simhash": weighted,
}
