"""The interoperable token scheme: a fingerprint as a short string that needs no text to compare.

A token is a run of characters of the Unicode categories Ll, Lu, Lt, Lo, Lm, Mn, Nd and Pc with at
least one letter; numbers and the tokens of web addresses are left out. The text is NFKC, case
folded. Each occurrence of a token adds the signs of the 64 bits of its hash; sums above 0 are the
bits of the fingerprint. It is written as base32 (RFC 4648, without padding, in either case) behind
the name of the scheme. From 0.90 on two texts are loosely alike, from 0.98 on closely. Candidates
come from 16 tables of 28 bits: one of four blocks of 16 bits, then one of four blocks of 12 of the
others; that finds all pairs within 3 bits.

The hash is Bob Jenkins's 64-bit `lookup8` (1997), here for whole batches:
http://burtleburtle.net/bob/c/lookup8.c, function `hash`, level 0.
"""

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np

from es_simhash.fingerprints.hashing import Fingerprints, Uint64s
from es_simhash.lab.methods.close_pairs import MaskTables
from es_simhash.lab.methods.document_fingerprints import DocumentFingerprints
from es_simhash.lab.methods.method_protocol import Ints
from es_simhash.lab.methods.method_scheme import FingerprintMethod, FingerprintScheme
from es_simhash.semantics.entities.capital_runs import category_ranges
from es_simhash.store.indexed_methods import NO_WORDS
from es_simhash.text.normal_forms import normalise

_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C13)
_BLOCK = 24
# Of each line of the mixing: which of the three changes, the two it is lessened by, and the shift
# of the second of them: left if negative.
_ROUNDS = (43, -9, 8, 38, -23, 5, 35, -49, 11, 12, -18, 22)


def lookup8(keys: Sequence[bytes]) -> Uint64s:
    """Return the hash of each key."""
    lengths = np.array([len(key) for key in keys], np.int64)
    blocks = lengths // _BLOCK
    hashes = np.zeros(len(keys), np.uint64)
    for count in np.unique(blocks).tolist():
        rows = np.flatnonzero(blocks == count)
        size = (count + 1) * _BLOCK
        padded = b"".join(keys[row].ljust(size, b"\0") for row in rows.tolist())
        words = np.frombuffer(padded, "<u8").reshape(len(rows), -1).astype(np.uint64)
        hashes[rows] = _hashed(words, lengths[rows].astype(np.uint64))
    return hashes


def _hashed(words: Uint64s, lengths: Uint64s) -> Uint64s:
    """Return the hashes of keys that have equally many blocks of three words, zeros at the end."""
    state = [np.zeros(len(words), np.uint64) for _ in range(2)]
    state.append(np.full(len(words), _GOLDEN_RATIO))
    last = words.shape[1] - 3
    for start in range(0, last, 3):
        for place in range(3):
            state[place] += words[:, start + place]
        _mix(state)
    state[2] += lengths
    state[0] += words[:, last]
    state[1] += words[:, last + 1]
    # The lowest byte of the third word holds the length.
    state[2] += words[:, last + 2] << np.uint64(8)
    _mix(state)
    return state[2]


def _mix(state: list[Uint64s]) -> None:
    """Mix three words reversibly, in place."""
    for number, shift in enumerate(_ROUNDS):
        changed, second, third = (state[(number + step) % 3] for step in range(3))
        changed -= second
        changed -= third
        if shift > 0:
            changed ^= third >> np.uint64(shift)
        else:
            changed ^= third << np.uint64(-shift)


TOKEN_SCHEME = "token-simhash64.v1"
LOOSE, CLOSE = 0.90, 0.98
_BITS, _MAX_DISTANCE = 64, 3
_WORD_CATEGORIES = frozenset({"Ll", "Lu", "Lt", "Lo", "Lm", "Mn", "Nd", "Pc"})
# What may be a scheme is read from its first character alone, or the time would grow as the square
# of its length; digits before it are no part of the address.
_ADDRESS = re.compile(r"(?:(?<![a-z0-9+.-])([0-9+.-]*)[a-z][a-z0-9+.-]*://|www\.)\S+")


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a text, in order."""
    without = _ADDRESS.sub(r"\1 ", normalise(text))
    return [token for token in _tokens().findall(without) if any(map(_is_letter, token))]


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] == "L"


@lru_cache(maxsize=1)
def _tokens() -> re.Pattern[str]:
    return re.compile(f"[{category_ranges(*_WORD_CATEGORIES, below=sys.maxunicode + 1)}]+")


def table_masks() -> tuple[int, ...]:
    """Return the 28 bits that lead each of the 16 tables."""
    masks = []
    for outer in range(4):
        rest = [bit for bit in range(_BITS) if bit // 16 != outer]
        for inner in range(4):
            chosen = [*range(16 * outer, 16 * outer + 16), *rest[12 * inner : 12 * inner + 12]]
            masks.append(sum(1 << (_BITS - 1 - bit) for bit in chosen))
    return tuple(masks)


_TABLES = MaskTables(_BITS, table_masks(), _MAX_DISTANCE)


def token_fingerprints(texts: Sequence[str]) -> DocumentFingerprints:
    """Return the fingerprints of texts, by their tokens."""
    counts = [Counter(tokens_of(text)) for text in texts]
    distinct = list({token: None for counter in counts for token in counter})
    hashes = lookup8([token.encode("utf-8", "surrogatepass") for token in distinct])
    places = {token: place for place, token in enumerate(distinct)}
    rows = [
        _majority(
            hashes[[places[token] for token in counter]], np.fromiter(counter.values(), np.int64)
        )
        for counter in counts
        if counter
    ]
    unread = {text: NO_WORDS for text, counter in enumerate(counts) if not counter}
    fingerprints = np.array(rows, np.uint8).reshape(-1, _BITS // 8)
    return DocumentFingerprints.of_read(fingerprints, len(texts), unread, _TABLES)


def _majority(hashes: Uint64s, counts: Ints) -> Fingerprints:
    """Return the bits whose signs, counted, are above 0."""
    bits = np.unpackbits(hashes.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1)
    sums = counts @ (bits.astype(np.int64) * 2 - 1)
    return np.packbits(sums > 0)


TOKENS = FingerprintScheme(
    TOKEN_SCHEME,
    "token-simhash",
    _BITS // 8,
    partial(DocumentFingerprints, tables=_TABLES),
)
TOKEN_SIMHASH = FingerprintMethod(
    TOKENS.method,
    LOOSE,
    note=f"scheme {TOKEN_SCHEME}: {LOOSE:.2f} is loose, {CLOSE:.2f} close",
    read=token_fingerprints,
    scheme=TOKENS,
)
