"""How the time of what reads texts grows with their length, and that of regular expressions."""

import io
import re
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

from es_simhash.differences.text_changes import changes
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.json_documents import parse_line
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.relation.text_comparison import compare
from es_simhash.semantics.entities.entity_rules import find_names
from es_simhash.semantics.extractors.builtin import BuiltinExtractor
from es_simhash.store.config import IndexConfig
from es_simhash.text.escaping import one_line

# Four times the length may take this many times as long: ten times linear is quadratic long before.
FACTOR, LIMIT = 4, 11.0
# Below this no growth is seen, in seconds.
_LEAST = 0.02
# What a branch of a pattern begins with: characters that stand for themselves.
_BRANCH = re.compile(r"(?:^|[(|]|\?:)\^?((?:\\\W|[^\\()\[\]{}?*+|^$.])+)(?![?*+{])")
# Only parts of so many words may be names, and each is looked up.
_TITLE = "The Long History Of Many Small Towns In Old Europe"
# Parts that are repeated, with what makes them hard.
PARTS: Mapping[str, str] = {
    "one word without end": "a",
    "combining marks": "\u0301",
    "a word with many marks": "a\u0323\u0301",
    "forms that become eighteen characters": "\ufdfa",
    "one word again and again": "word ",
    "short lines": "a b\n",
    "empty lines": "\n",
    "sentences of one word": "No. ",
    "capital words": "Aa ",
    "numbers": "1.000,5 ",
    "a script without spaces": "人",
    "bidirectional controls": "\u202ea\u202c",
    "lone surrogates": "\ud800 ",
    "white space": " \t",
    "hyphens": "a-",
    "brackets": "([{",
    "addresses": "a@b.",
    "names and titles": f"They met Anna Brown in Paris.\n\n{_TITLE}\n\n",
}


class Growth(NamedTuple):
    """Seconds for a text, and for one that is some times as long."""

    short: float
    long: float
    factor: int = FACTOR

    @property
    def is_linear(self) -> bool:
        """Check whether the time grows about as the length."""
        limit = LIMIT * self.factor / FACTOR
        return self.long < _LEAST or self.long < limit * max(self.short, _LEAST / self.factor)


READERS: Mapping[str, tuple[Callable[[str], object], int]] = {
    "fingerprint": (fingerprint, 20_000),
    "escape": (one_line, 20_000),
    "parse": (lambda text: parse_line(_line(text), 0, IndexConfig()), 20_000),
    "changes": (lambda text: changes(text, f"{text}{text[:200]} end"), 5_000),
    "compare": (lambda text: compare(text, f"start {text}"), 5_000),
    "extract": (lambda text: list(BuiltinExtractor().extract([text])), 5_000),
}


def _read_long_line() -> None:
    """Read a line of 50 MB, which is passed over, and the one behind it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(b'{"text":"' + b"word " * 10_000_000 + b'"}\n{"id":"2","text":"b"}\n')
        (source,) = open_sources([str(path)], io.BytesIO())
        read = [
            each.id
            for batch in source.batches(BatchLimits(), None)
            for each in batch.documents(IndexConfig())
        ]
    assert read[1:] == ["2"]


def _parse_nested(opening: bytes, closing: bytes) -> None:
    data = b'{"id":"1","text":"a","x":' + opening * 10_000 + b"1" + closing * 10_000 + b"}"
    assert isinstance(parse_line(data, 0, IndexConfig()), Failure)


def _read_names() -> None:
    """Find the names of sentences that have other ones each, and of the titles between them."""
    text = "".join(f"They met Anna Brown{n} here.\n\n{_TITLE}\n\n" for n in range(6_000))
    assert len(find_names(text)) >= 6_000
    list(BuiltinExtractor().extract([text]))


_SHORT_LINES = "short line again\n" * 38_000
_OTHER_LINES = "short line again\n" * 37_000 + "another end\n" * 1_500
_HOT = "und der die das in den von zu " * 20_000
# Each is over within `LARGE_SECONDS` of processor time.
LARGE: Mapping[str, Callable[[], object]] = {
    "a million combining marks": lambda: fingerprint("a" + "\u0301" * 1_000_000),
    "10,000 nested arrays": lambda: _parse_nested(b"[", b"]"),
    "10,000 nested objects": lambda: _parse_nested(b'{"a":', b"}"),
    "a line of 50 MB": _read_long_line,
    "500 KB of names and titles": _read_names,
    "changes of 650 KB of short lines": lambda: changes(_SHORT_LINES, _OTHER_LINES),
    "score of 650 KB of short lines": lambda: compare(_SHORT_LINES, _OTHER_LINES, semantics=None),
    "600 KB whose shingles are all hot": lambda: compare(_HOT, _HOT + "x", semantics=None),
}
LARGE_SECONDS = 10.0


def seconds_of(call: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    started = time.process_time()
    call()
    return time.process_time() - started


def _line(text: str) -> bytes:
    return b'{"text":"' + text.encode("utf-8", "surrogatepass").replace(b"\n", b" ") + b'"}'


def grown(
    read: Callable[[str], object], part: str, length: int, *, calls: int = 2, factor: int = FACTOR
) -> Growth:
    """Return how long it takes to read a part repeated to a length, and to some times that.

    Args:
        read: Reads it.
        part: The part.
        length: In characters.
        calls: How often each is read; the fastest counts.
        factor: How many times as long the longer text is.
    """
    text = part * (length // len(part))
    long = _seconds(read, text * factor, calls)
    return Growth(_seconds(read, text, calls), long, factor)


def _seconds(read: Callable[[str], object], text: str, calls: int) -> float:
    """Return the processor time of the fastest of some calls."""
    times = []
    for _ in range(calls):
        started = time.process_time()
        read(text)
        times.append(time.process_time() - started)
    return min(times)


def pumps(pattern: "re.Pattern[Any]") -> list[str]:
    """Return what a pattern may read again and again: its characters, alone and in pairs."""
    letters = [*dict.fromkeys(re.sub(r"\\.|[\[\](){}?*+|^$]", "", _source(pattern)))][:12]
    common = [" ", "a", "0", "A", "-", ".", "\n", "a ", "0.", "a-", "A a", "\u0301", "Aa ", "\\"]
    pairs = (a + b for a, b in pairwise(letters))
    return list(dict.fromkeys([*common, *letters, *pairs, *starts(pattern)]))


def starts(pattern: "re.Pattern[Any]") -> list[str]:
    """Return the texts without choice that the branches of a pattern begin with."""
    branches = _BRANCH.findall(_source(pattern))
    return list(dict.fromkeys(re.sub(r"\\(\W)", r"\1", each) for each in branches))[:8]


def _start(pattern: "re.Pattern[Any]") -> list[str]:
    """Return the text that a whole pattern begins with, and what is read is to begin with."""
    return starts(pattern)[:1] if _BRANCH.match(_source(pattern)) else []


def _source(pattern: "re.Pattern[Any]") -> str:
    source = pattern.pattern
    return source.decode("latin-1") if isinstance(source, bytes) else str(source)


def slow_inputs(
    pattern: "re.Pattern[Any]",
    uses: Collection[str] = ("finditer",),
    length: int = 12_000,
) -> Iterator[tuple[str, Growth]]:
    """Yield what a pattern takes longer to read than its length explains.

    Args:
        pattern: The pattern.
        uses: Methods that it is used by.
        length: Of the strings.
    """
    readers = {_READS.get(use, _read_all) for use in uses}
    for read, start, pump in product(readers, ["", *_start(pattern)], pumps(pattern)):
        search = partial(_search, pattern, read, start)
        # Most are over at once, which need not be measured twice.
        if seconds_of(partial(search, pump * (length // len(pump)))) < _LEAST:
            continue
        growth = grown(search, pump, length // 8, calls=3, factor=8)
        if not growth.is_linear:
            yield start + pump, growth


def _search(
    pattern: "re.Pattern[Any]",
    read: Callable[["re.Pattern[Any]", Any], object],
    start: str,
    text: str,
) -> None:
    read(pattern, _typed(f"{start}{text}\x00", pattern))


def _typed(text: str, pattern: "re.Pattern[Any]") -> Any:
    return text.encode() if isinstance(pattern.pattern, bytes) else text


def _read_all(pattern: "re.Pattern[Any]", text: Any) -> None:
    for _ in pattern.finditer(text):
        pass


# How a pattern reads a text, by the method that is called; the others go through all of it.
_READS: Mapping[str, Callable[["re.Pattern[Any]", Any], object]] = {
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "search": lambda pattern, text: pattern.search(text),
}
