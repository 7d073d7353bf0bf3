"""A second, slow implementation of the methods that make fingerprints, written from their sources.

Plain Python integers, one feature at a time, and nothing of the package: what the fast code gives
is compared with this.
"""

import base64
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from tests.support import reference

LOW32, LOW64 = (1 << 32) - 1, (1 << 64) - 1


def signed_sum(weights: Iterable[tuple[int, float]], bits: int) -> int:
    """Return the bits whose weights outweigh those of the features without them."""
    rows = list(weights)
    fingerprint = 0
    for bit in range(bits):
        total = sum(weight if value >> bit & 1 else -weight for value, weight in rows)
        fingerprint |= (total > 0) << bit
    return fingerprint


def bigram_hash(bigram: str, bits: int) -> int:
    """Return the hash of the origins: the bytes times 27644437, modulo 2^32."""
    hashed = int.from_bytes(bigram.encode("utf-8"), "big") * 27644437 & LOW32
    return {16: hashed & 0xFFFF, 32: hashed, 64: hashed << 32 | hashed * 27644437 & LOW32}[bits]


def sentence(text: str, bits: int) -> int:
    """Return the fingerprint of one sentence: its different letter bigrams, spaces included."""
    tokens, _ = reference.tokens_and_boundaries(reference.normalise(text))
    spaced = "".join(f" {token}" for token in tokens)
    bigrams = {spaced[i : i + 2] for i in range(len(spaced) - 1)}
    return signed_sum(((bigram_hash(bigram, bits), 1) for bigram in bigrams), bits)


def character_windows(text: str) -> int:
    """Return the fingerprint of windows of four letters and digits, each occurrence counted."""
    tokens, _ = reference.tokens_and_boundaries(reference.normalise(text))
    codes = [ord(character) for token in tokens for character in token]
    return signed_sum(((reference.xxh64(run, 0), 1) for run in reference.runs(codes, 4)), 64)


def lookup8(key: bytes) -> int:
    """Return Bob Jenkins's lookup8 with level 0, byte by byte as the original adds them."""
    a = b = 0
    c = 0x9E3779B97F4A7C13
    length, start = len(key), 0
    while length - start >= 24:
        a = a + int.from_bytes(key[start : start + 8], "little") & LOW64
        b = b + int.from_bytes(key[start + 8 : start + 16], "little") & LOW64
        c = c + int.from_bytes(key[start + 16 : start + 24], "little") & LOW64
        a, b, c = mix(a, b, c)
        start += 24
    c += length
    for place, byte in enumerate(key[start:]):
        if place < 8:
            a += byte << 8 * place
        elif place < 16:
            b += byte << 8 * (place - 8)
        else:
            c += byte << 8 * (place - 15)
    return mix(a & LOW64, b & LOW64, c & LOW64)[2]


def mix(a: int, b: int, c: int) -> tuple[int, int, int]:
    for right, left, last in ((43, 9, 8), (38, 23, 5), (35, 49, 11), (12, 18, 22)):
        a = (a - b - c & LOW64) ^ c >> right
        b = (b - c - a & LOW64) ^ a << left & LOW64
        c = (c - a - b & LOW64) ^ b >> last
    return a, b, c


def tokens(text: str) -> list[str]:
    """Return the tokens of the interoperable scheme of a text without web addresses."""
    found, token = [], ""
    for character in reference.normalise(text) + " ":
        if unicodedata.category(character) in ("Ll", "Lu", "Lt", "Lo", "Lm", "Mn", "Nd", "Pc"):
            token += character
            continue
        if any(unicodedata.category(each).startswith("L") for each in token):
            found.append(token)
        token = ""
    return found


def token_string(text: str, without: Sequence[str] = ()) -> str:
    """Return the string of the interoperable scheme; without names tokens to leave out."""
    kept = [token for token in tokens(text) if token not in without]
    value = signed_sum(((lookup8(token.encode()), 1) for token in kept), 64)
    digits = base64.b32encode(value.to_bytes(8, "big")).decode().rstrip("=")
    return f"token-simhash64.v1:{digits}"


def murmur3(key: bytes, seed: int) -> int:
    """Return MurmurHash3_x86_32 of a key of whole words."""
    h = seed
    for start in range(0, len(key), 4):
        k = int.from_bytes(key[start : start + 4], "little") * 0xCC9E2D51 & LOW32
        k = (k << 15 | k >> 17) & LOW32
        h ^= k * 0x1B873593 & LOW32
        h = (h << 13 | h >> 19) & LOW32
        h = h * 5 + 0xE6546B64 & LOW32
    h ^= len(key)
    h = (h ^ h >> 16) * 0x85EBCA6B & LOW32
    h = (h ^ h >> 13) * 0xC2B2AE35 & LOW32
    return h ^ h >> 16


def family_hash(family: str, x: int, number: int) -> int:
    a, b = reference.xxh64(2 * number, 0), reference.xxh64(2 * number + 1, 0)
    if family == "modular":
        p = 2**31 - 1
        return ((a % (p - 1) + 1) * (x % p) + b % p) % p
    if family == "multiplicative":
        return ((a | 1) * x + b & LOW64) >> 32
    return murmur3(x.to_bytes(4, "little"), number)


def signature(text: str, family: str, hashes: int) -> list[int]:
    """Return the smallest hash of the shingles of nine characters for each function."""
    codes = [ord(character) for character in " ".join(reference.normalise(text).split())]
    values = {reference.xxh64(run, 0) >> 32 for run in reference.runs(codes, 9)}
    return [min(family_hash(family, x, number) for x in values) for number in range(hashes)]


def weighted(weights: Mapping[str, float]) -> int:
    """Return the fingerprint of weighted words, hashed by the number of their characters."""
    heaviest = max(weights.values())
    rows = [
        (reference.token_number(word), round(weight / heaviest * (1 << 20)))
        for word, weight in weights.items()
    ]
    return signed_sum(rows, 64)


def zhang_he(
    counts: Mapping[str, int], shares: Mapping[str, float], **of: Mapping[str, int]
) -> dict[str, float]:
    """Return TF x IDF x (1 + part of speech + length + marker + title) for each word.

    Args:
        counts: TF.
        shares: Of how many texts one has each word: N / df.
        of: What `kind`, `marker` and `title` add to some words; the kind of all others is 1.
    """
    shortest, longest = min(map(len, counts)), max(map(len, counts))
    return {
        word: count
        * math.log(shares[word] + 0.01)
        * (
            1
            + of["kind"].get(word, 1)
            + (len(word) - shortest) / max(1, longest - shortest)
            + of["marker"].get(word, 0)
            + of["title"].get(word, 0)
        )
        for word, count in counts.items()
    }
