"""How the time of what reads texts grows with their length, and that of regular expressions."""

import importlib
import inspect
import pkgutil
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import es_simhash
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
    """Seconds for a text, and for one that is `FACTOR` times as long."""

    short: float
    long: float

    @property
    def is_linear(self) -> bool:
        """Check whether the time grows about as the length."""
        return self.long < _LEAST or self.long < LIMIT * max(self.short, _LEAST / FACTOR)


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
        (source,) = open_sources([str(path)], None)
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


def grown(read: Callable[[str], object], part: str, length: int) -> Growth:
    """Return how long it takes to read a part repeated to a length, and to `FACTOR` times that."""
    text = part * (length // len(part))
    return Growth(_seconds(read, text), _seconds(read, text * FACTOR))


def _seconds(read: Callable[[str], object], text: str) -> float:
    """Return the processor time of the faster of two calls."""
    times = []
    for _ in range(2):
        started = time.process_time()
        read(text)
        times.append(time.process_time() - started)
    return min(times)


def is_anchored(place: str) -> bool:
    """Check whether the pattern of a place is only matched with whole texts."""
    module, name = place.rpartition("[")[0].rsplit(".", 1)
    code = inspect.getsource(importlib.import_module(module))
    uses = set(re.findall(rf"\b{name}\.(\w+)\(", code))
    return bool(uses) and uses <= {"fullmatch", "match"}


def patterns() -> dict[str, "re.Pattern[str]"]:
    """Return the compiled patterns of texts of all modules of the package, by where they are."""
    found: dict[str, re.Pattern[str]] = {}
    for module in pkgutil.walk_packages(es_simhash.__path__, "es_simhash."):
        # What needs an extra that is not installed, and the program itself.
        if module.name.startswith("es_simhash.spark") or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for number, each in enumerate(_patterns_in(value, set())):
                found.setdefault(f"{module.name}.{name}[{number}]", each)
    return {name: each for name, each in found.items() if isinstance(each.pattern, str)}


def _patterns_in(value: Any, seen: set[int]) -> Iterator["re.Pattern[Any]"]:
    """Yield the patterns in a value, which may be in itself."""
    if isinstance(value, re.Pattern):
        yield value
    elif id(value) not in seen:
        seen.add(id(value))
        if isinstance(value, dict):
            for each in value.values():
                yield from _patterns_in(each, seen)
        elif isinstance(value, list | tuple | set | frozenset) and len(value) < 1000:
            for each in value:
                yield from _patterns_in(each, seen)


def pumps(pattern: "re.Pattern[str]") -> list[str]:
    """Return what a pattern may read again and again: its characters, alone and in pairs."""
    letters = [*dict.fromkeys(re.sub(r"\\.|[\[\](){}?*+|^$]", "", pattern.pattern))][:12]
    common = [" ", "a", "0", "A", "-", ".", "\n", "a ", "0.", "a-", "A a", "\u0301"]
    return [*common, *letters, *(a + b for a, b in pairwise(letters))]


def slow_inputs(
    pattern: "re.Pattern[str]", length: int = 500, *, is_anchored: bool = False
) -> Iterator[tuple[str, Growth]]:
    """Yield what a pattern takes longer to read than its length explains.

    Args:
        pattern: The pattern.
        length: Of the shorter string.
        is_anchored: Whether it is only matched with whole texts, not searched in them.
    """

    def search(text: str) -> None:
        if is_anchored:
            pattern.fullmatch(text + "\x00")
        else:
            for _ in pattern.finditer(text + "\x00"):
                pass

    for pump in pumps(pattern):
        growth = grown(search, pump, length)
        if not growth.is_linear:
            yield pump, growth
