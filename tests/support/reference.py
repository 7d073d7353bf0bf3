"""A second, slow implementation of docs/fingerprint.md, written from its sentences.

Plain Python and the xxhash package: nothing of es_simhash but its two data files. What the fast
code gives is compared with this, so that no expected value was copied from what it tests.
"""

import base64
import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from itertools import groupby, pairwise
from typing import Any

import xxhash

# Of the installed package, which need not be the one in this clone.
DATA = files("es_simhash") / "data"
BASE = 0x9E3779B97F4A7C15
MODULUS = 1 << 64
WORD, OWN, MARK, IGNORED = 1, 2, 3, 4


def read_runs(name: str) -> list[int]:
    """Read a data file into a list with the value of each code point."""
    values: list[int] = []
    value = 0
    for line in (DATA / name).read_text("ascii").splitlines():
        if line.startswith("#"):
            continue
        first, next_value = line.split()
        values += [value] * (int(first, 16) - len(values))
        value = int(next_value)
    return values + [value] * (0x110000 - len(values))


CLASS = read_runs("characters.txt")
LATER = read_runs("later_characters.txt")
DIGIT = read_runs("digits.txt")


def normalise(text: str) -> str:
    parts = []
    for later, group in groupby(text, key=lambda character: LATER[ord(character)]):
        part = "".join(group)
        if not later:
            part = unicodedata.normalize("NFKC", part)
            part = unicodedata.normalize("NFKC", part.casefold())
        parts.append(part)
    return "".join(parts)


def content_hash(normalised: str) -> str:
    space = set("\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\u1680\u2028\u2029")
    words, word = [], ""
    for character in normalised + " ":
        if character not in space:
            word += character
        elif word:
            words.append(word)
            word = ""
    return hashlib.sha256(" ".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def tokens_and_boundaries(normalised: str) -> tuple[list[str], set[int]]:
    """Split into tokens; a boundary is the number of tokens that begin before it."""
    characters = [c for c in normalised if CLASS[ord(c)] != IGNORED]
    tokens: list[str] = []
    standing = 0  # class of the last character that is no mark
    settled: list[int] = []
    begun: list[int] = []  # of each character: the tokens begun up to and with it
    for character in characters:
        kind = CLASS[ord(character)]
        if kind == OWN or (kind == WORD and standing != WORD):
            tokens.append(character)
        elif kind == WORD or (kind == MARK and standing):
            tokens[-1] += character
        standing = standing if kind == MARK else kind
        settled.append(standing)
        begun.append(len(tokens))
    found = set(sentence_ends(characters, settled)) | set(blank_lines(characters))
    return tokens, {begun[position] for position in found}


def sentence_ends(characters: list[str], settled: list[int]) -> Iterator[int]:
    spaces = set(" \t\r\x0b\x0c\x1c\x1d\x1e\x1f") | set("\n\x85\u2028\u2029")
    closers = set("\"')]}”’»」』】")

    def at(position: int) -> str:
        return characters[position] if 0 <= position < len(characters) else "\n"

    for position, character in enumerate(characters):
        if character in "。؟۔।॥։។៕":
            yield position
        elif character in ".!?…":
            after, second = at(position + 1), at(position + 2)
            beside_own = OWN in settled[max(position - 1, 0) : position + 2]
            if after in spaces or (after in closers and second in spaces) or beside_own:
                yield position


def blank_lines(characters: list[str]) -> Iterator[int]:
    """Return each line end after which comes another with only spaces between.

    As if two line ends followed the text; those have no token after them.
    """
    last_line_end = None
    for position, character in enumerate(characters):
        if character in "\n\x85\u2028\u2029":
            if last_line_end is not None:
                yield last_line_end
            last_line_end = position
        elif character not in " \t\r\x0b\x0c\x1c\x1d\x1e\x1f":
            last_line_end = None


def chunks(count: int, boundaries: set[int], least: int, most: int) -> list[tuple[int, int]]:
    """Return first and one past the last token of each chunk."""
    sections = []
    start = 0
    for boundary in sorted(boundaries):
        if start < boundary < count and boundary - start >= least:
            sections.append((start, boundary))
            start = boundary
    parts = [part for begin, end in sections for part in cut(begin, end, most)]
    if start < count:
        if count - start < least and parts:
            start = parts.pop()[0]
        parts += cut(start, count, most)
    return parts


def cut(begin: int, end: int, most: int) -> list[tuple[int, int]]:
    length = end - begin
    pieces = (length + most - 1) // most
    edges = [begin + length * piece // pieces for piece in range(pieces + 1)]
    return list(pairwise(edges))


def token_number(token: str) -> int:
    total = sum((ord(c) + 1) * pow(BASE, i, MODULUS) for i, c in enumerate(token)) % MODULUS
    return xxh64(total, 0)


def character_number(character: str) -> int:
    return ord(character)


def xxh64(value: int, seed: int) -> int:
    return xxhash.xxh64_intdigest(value.to_bytes(8, "little"), seed)


def fold(values: list[int]) -> int:
    number = 0
    for value in values:
        number = (number * BASE + value) % MODULUS
    return number


def runs(values: list[int], length: int) -> list[int]:
    """Number each run of `length` neighbours; fewer values make one run."""
    if not values:
        return []
    if len(values) < length:
        return [fold(values)]
    return [fold(values[i : i + length]) for i in range(len(values) - length + 1)]


def fingerprint(features: list[int], bits: int) -> str:
    digits = ""
    for seed in range(bits // 64):
        hashes = [f"{xxh64(feature, seed):064b}" for feature in features]
        # The digits of one place of all hashes, the highest first; without features all are 0.
        for column in zip(*hashes, strict=True) if hashes else ["0"] * 64:
            digits += "1" if 2 * column.count("1") > len(features) else "0"
    return f"{int(digits, 2):0{bits // 4}x}"


def blocks(fingerprint_hex: str, count: int) -> list[str]:
    bits = len(fingerprint_hex) * 4
    digits = f"{int(fingerprint_hex, 16):0{bits}b}"
    terms = []
    for block in range(count):
        size = bits // count + (1 if block < bits % count else 0)
        value, digits = int(digits[:size], 2), digits[size:]
        terms.append(f"{block:x}:" + f"{value:x}".zfill((size + 3) // 4))
    return terms


def windows(largest: int) -> list[int]:
    return [min(size, largest) for size in (1, 3, 6, 64)]


def level_of(tokens: int) -> int:
    return next((level for level, most in enumerate((64, 128, 256)) if tokens <= most), 3)


def picked(hashes: list[int], size: int) -> set[int]:
    """Positions of the passages that are the smallest of some window."""
    found = set()
    for begin in range(len(hashes) - size + 1):
        smallest = min(hashes[begin : begin + size])
        found |= {i for i in range(begin, begin + size) if hashes[i] == smallest}
    return found


def shingles(numbers: list[int], largest: int) -> dict[int, int]:
    """Return the picked passages, 24 bits each, and the level of each."""
    hashes = [xxh64(run, 2) for run in runs(numbers, 4)]
    levels: dict[int, int] = {}
    sizes = windows(largest)
    for level in range(level_of(len(numbers)), 4):
        for position in picked(hashes, sizes[level]):
            levels[hashes[position] >> 40] = level
    return dict(sorted(levels.items()))


def term(passage: int) -> str:
    return base64.urlsafe_b64encode(passage.to_bytes(3, "big")).decode("ascii")


def describe(text: str, scheme: str) -> dict[str, Any]:
    """Return everything a conformance vector says of a text."""
    document, chunk, passage, _ = scheme.split(".")
    bits, _, block_count = document.removeprefix("doc").split("-")
    least, most = (int(part) for part in chunk.split("-t")[1].split("-"))
    largest = int(passage.split("-w")[-1])
    normalised = normalise(text)
    tokens, boundaries = tokens_and_boundaries(normalised)
    numbers = [token_number(token) for token in tokens]
    described_chunks = [
        describe_chunk(tokens, begin, end)
        for begin, end in chunks(len(tokens), boundaries, least, most)
    ]
    levels = shingles(numbers, largest)
    result: dict[str, Any] = {
        "text": text,
        "scheme": scheme,
        "normalised": normalised,
        "content_hash": content_hash(normalised),
        "tokens": tokens,
        "chunks": described_chunks,
        "shingles": [
            {"number": number, "level": level, "term": term(number)}
            for number, level in levels.items()
        ],
        "simhash": {"scheme": scheme, "content_hash": content_hash(normalised)},
    }
    if not tokens:
        result["simhash"]["status"] = "empty"
        return result
    value = fingerprint(runs(numbers, 2), int(bits))
    result["simhash"] |= {
        "fingerprint": value,
        "blocks": blocks(value, int(block_count.removeprefix("b"))),
        "shingles": [term(number) for number in levels],
        "chunks": pack(described_chunks, list(levels.values())),
        "sketch": base64.b64encode(sketch(tokens)).decode("ascii"),
    }
    return result


def sketch(tokens: list[str]) -> bytes:
    head = "".join(" " + token for token in tokens[:32])
    marks = {xxh64(run, 3) % 256 for run in runs([character_number(c) for c in head], 4)}
    return (
        bitmap(marks, 256)
        + number_list([token for token in tokens[:32] if has_digit(token)], 32)
        + number_list([token for token in tokens if has_digit(token)], 17)
        + folded({number % 2048 for number in words(tokens)})
    )


def has_digit(token: str) -> bool:
    return any(DIGIT[ord(c)] for c in token)


def words(tokens: list[str]) -> set[int]:
    """Number the longer words, and each two neighbours that are characters of their own."""
    found = set()
    for token, following in zip(tokens, [*tokens[1:], " "], strict=True):
        if CLASS[ord(token[0])] == OWN:
            if CLASS[ord(following[0])] == OWN:
                found.add(fold([token_number(token), token_number(following)]))
        elif not has_digit(token) and len(token.encode("utf-8", "surrogatepass")) >= 6:
            found.add(token_number(token))
    return found


def number_list(tokens: list[str], most: int) -> bytes:
    smallest = sorted({token_number(token) >> 48 for token in tokens})[:most]
    return bytes([len(smallest)]) + b"".join(n.to_bytes(2, "little") for n in smallest)


def folded(bits: set[int]) -> bytes:
    size = 2048
    while size > 64 and 8 * len(bits) <= size:
        size //= 2
        bits = {bit % size for bit in bits}
    return bitmap(bits, size)


def bitmap(bits: set[int], size: int) -> bytes:
    return sum(1 << bit for bit in bits).to_bytes(size // 8, "little")


def describe_chunk(tokens: list[str], begin: int, end: int) -> dict[str, Any]:
    characters = "".join(" " + token for token in tokens[begin:end])
    return {
        "first_token": begin,
        "end_token": end,
        "characters": characters,
        "length": len(characters),
        "fingerprint": fingerprint(runs([character_number(c) for c in characters], 4), 128),
    }


def pack(described: list[dict[str, Any]], levels: list[int]) -> str:
    exactly = Counter(levels)
    packed = b""
    for level in range(4):
        reaching = sum(exactly[higher] for higher in range(level, 4))
        packed += (reaching if level >= min(levels) else 0).to_bytes(4, "little")
    packed += b"".join(bytes.fromhex(chunk["fingerprint"]) for chunk in described)
    packed += b"".join(min(chunk["length"], 0xFFFF).to_bytes(2, "little") for chunk in described)
    return base64.b64encode(packed).decode("ascii")
