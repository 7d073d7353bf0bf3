"""A short form of `make test-fuzz`: each target has a batch, and what is slow is found."""

import asyncio
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from elasticsearch import AsyncElasticsearch

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.lab.methods import token_simhash
from es_simhash.semantics.vocabularies.vocabulary_files import load_vocabulary
from es_simhash.service import config_file
from es_simhash.store.elasticsearch import errors
from es_simhash.store.elasticsearch.async_calls import AsyncCalls
from es_simhash.store.elasticsearch.calls import Call
from es_simhash.store.installation.index_templates import fits
from tests.fuzz import damaged_files, requests, targets
from tests.fuzz.damaged_files import (
    BOMBS,
    missing_packages,
    read_documents,
    whole_files,
)
from tests.fuzz.expressions import Source, collected, sources
from tests.fuzz.growth import (
    LARGE,
    LARGE_SECONDS,
    PARTS,
    READERS,
    grown,
    seconds_of,
    slow_inputs,
)
from tests.fuzz.guided import ChosenByBytes
from tests.fuzz.hostile import altered, changed, damaged, hostile_texts, spliced
from tests.fuzz.lying_server import VERBS, ask_recorded
from tests.fuzz.targets import TARGETS, run_target


@pytest.mark.variants
@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_is_read_or_rejected(name: str) -> None:
    assert sum(run_target(name, "short", number) for number in range(3)) > 2


@pytest.mark.variants
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("data", [b"", bytes(range(256)) * 4])
def test_bytes_choose_the_input_of_a_target(name: str, data: bytes) -> None:
    assert TARGETS[name](ChosenByBytes(data)) > 0


def test_each_byte_chooses_until_all_are_used_up() -> None:
    chosen = ChosenByBytes(b"\x05\xff" + bytes(20))
    assert [chosen.getrandbits(8), chosen.getrandbits(4)] == [5, 15]
    texts = {tuple(hostile_texts(ChosenByBytes(bytes([n]) * 64), 5)) for n in range(20)}
    assert len(texts) > 15
    assert all(len(each) == ChosenByBytes.most for each in texts)
    same = [hostile_texts(ChosenByBytes(b"a"), 5) for _ in range(2)]
    assert same[0] == same[1]


@pytest.mark.variants
@pytest.mark.parametrize("name", LARGE)
def test_a_large_input_is_read_in_seconds(name: str) -> None:
    assert seconds_of(LARGE[name]) < LARGE_SECONDS


@pytest.mark.parametrize("name", READERS)
def test_the_time_of_a_reader_grows_as_the_text(name: str) -> None:
    read, length = READERS[name]
    slow = {part: grown(read, text, length // 2) for part, text in PARTS.items()}
    assert {part: growth for part, growth in slow.items() if not growth.is_linear} == {}


def test_no_regular_expression_reads_the_same_again_and_again() -> None:
    slow = {
        expression.place: pump
        for expression in collected(sources()).expressions
        for pump, _ in slow_inputs(expression.pattern, expression.uses)
    }
    assert slow == {}


def test_each_use_of_a_regular_expression_is_measured() -> None:
    found = collected(sources())
    assert found.missed == []
    assert found.count > 90
    # Those that functions return, one of bytes, and one of a program that is not imported.
    places = {expression.place.partition(":")[0] for expression in found.expressions}
    assert {
        "es_simhash.lab.methods.token_simhash",
        "es_simhash.semantics.entities.capital_runs",
        "es_simhash.semantics.languages.words",
        "es_simhash.spark.__main__",
        "es_simhash.text.lines",
    } <= places
    assert any(isinstance(each.pattern.pattern, bytes) for each in found.expressions)


@pytest.mark.parametrize(
    ("code", "uses"),
    [
        ("import re\nA = re.compile('a')\nA.match('a')", ["match"]),
        ("import re\nA = (re.compile('a'),)\nA[0].match('a')", ["match"]),
        ("import re\nA = re.compile('a')\nf(A)", ["finditer", "fullmatch", "match"]),
        ("import re\ndef f(text):\n    return re.sub(r'a+', '', text)", ["sub"]),
        ('import re\nB = f\'{{re.split("a", "b")}}\'', ["split"]),
        ("import re\ndef f(a):\n    return re.match(a, 'a')", None),
        ("import re\ndef f(a):\n    return re.compile(a)", None),
        ("import re\ng = re.sub", None),
        ("from re import match", None),
        ("import re as r", None),
        ("import regex", None),
    ],
)
def test_a_use_is_found_by_its_syntax(code: str, uses: list[str] | None) -> None:
    found = collected((Source("made.__main__", code.replace("{{", "{").replace("}}", "}")),))
    if uses is None:
        assert (found.missed, found.expressions) == ([f"made.__main__:{found.missed[0][-1]}"], [])
    else:
        assert [sorted(expression.uses) for expression in found.expressions] == [uses]
        assert found.missed == []


def test_a_slow_regular_expression_is_found() -> None:
    assert next(slow_inputs(re.compile(r"\d+x"), length=6_000), None)
    assert not dict(slow_inputs(re.compile(r"\d{1,9}x")))
    # As it is used: the first is slow where it is searched, the second where it has to fit.
    assert not dict(slow_inputs(re.compile(r"\d+x"), ["match", "fullmatch"]))
    assert next(slow_inputs(re.compile(r"[a:]*:[a:]*"), ["fullmatch"], 6_000), None)
    assert next(slow_inputs(re.compile(rb"\s+at"), ["sub"]), None)


# What stood in the place of expressions whose time grew as the square of the length.
_SLOW = {
    (token_simhash, "_ADDRESS"): (
        r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+",
        ["a", "w", ".", "1", "-", " ", "é", "://", "www."],
    ),
    (config_file, "_HOST"): (
        r"\*|(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*",
        "*.:a-1g ",
    ),
    (errors, "_QUOTATION"): (
        r"(\.? Preview of field's value: |\s+at \[Source: ).*",
        [" ", "\n", "at [Source: ", " Preview of field's value: ", "."],
    ),
}


@pytest.mark.parametrize(("place", "slow"), _SLOW.items(), ids=[name for _, name in _SLOW])
def test_an_expression_that_was_slow_finds_the_same(place: Any, slow: Any) -> None:
    module, name = place
    now: re.Pattern[str] = getattr(module, name)
    before, pieces = re.compile(slow[0], now.flags), slow[1]
    chosen = random.Random(1)
    # One has a group of the digits before an address, which are kept.
    is_grouped = now.groups > before.groups
    counts = [0, 0]
    for _ in range(3_000):
        text = "".join(chosen.choices(pieces, k=chosen.randrange(12)))
        assert now.sub(r"\1 " if is_grouped else " ", text) == before.sub(" ", text), text
        assert is_grouped or bool(now.fullmatch(text)) == bool(before.fullmatch(text)), text
        counts[before.sub(" ", text) != text or before.fullmatch(text) is not None] += 1
    assert min(counts) > 50


def test_a_pattern_of_many_stars_is_compared_in_time() -> None:
    started = time.process_time()
    assert not fits("a-" * 120 + "b", {"index_patterns": ["*-" * 30 + "c"]})
    assert time.process_time() - started < 1
    assert fits("logs-a-b", {"index_patterns": ["x", "*-a-*"]})
    # No other character than the star is special.
    assert not fits("loga", {"index_patterns": ["log?", "log[a]"]})
    assert fits("log[a]", {"index_patterns": ["log[a]"]})


@pytest.mark.variants
@pytest.mark.parametrize("verb", VERBS)
def test_the_answers_are_recorded_of_this_version(verb: str) -> None:
    ask_recorded(verb)


@pytest.mark.variants
@pytest.mark.parametrize("name", whole_files())
def test_a_file_that_is_not_damaged_has_documents(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(whole_files()[name])
    read = list(read_documents(path))
    assert read
    assert all(isinstance(document, Document) for document in read)


@pytest.mark.parametrize("name", ["b.parquet", "a.arrow", "a.feather"])
def test_a_table_with_bytes_that_are_no_text_is_damaged(name: str, tmp_path: Path) -> None:
    if name not in whole_files():
        pytest.skip("pyarrow is not installed")
    path = tmp_path / name
    path.write_bytes(whole_files()[name].replace(b"harbour", b"harb\xffur"))
    (read,) = read_documents(path)
    assert isinstance(read, Failure)
    assert "The file is damaged" in read.reason


@pytest.mark.long
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_takes_little_time_and_memory(name: str, tmp_path: Path) -> None:
    file, make = BOMBS[name]
    if file.endswith(tuple(missing_packages())):
        pytest.skip("the package that reads it is not installed")
    data = make()
    (tmp_path / file).write_bytes(data)
    assert len(data) < 2 << 20
    code = (
        "import resource, sys, pathlib; from tests.fuzz.damaged_files import read_documents; "
        "read = [each.reason for each in read_documents(pathlib.Path(sys.argv[1]))]; "
        "time = resource.getrusage(resource.RUSAGE_SELF).ru_utime; "
        # Not `ru_maxrss`, which is at least what the process that started it has.
        "status = pathlib.Path('/proc/self/status').read_text(); "
        "print(len(read), time, status.partition('VmHWM:')[2].split()[0])"
    )
    line = [sys.executable, "-c", code, str(tmp_path / file)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=True)
    count, seconds, kilobytes = map(float, done.stdout.split())
    assert count <= 1
    assert seconds < 20
    assert kilobytes < 420 << 10


def test_an_encoding_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("rdflib")
    path = tmp_path / "a.rdf"
    path.write_text('<?xml version="1.0" encoding="utf-w8"?><a/>', "utf-8")
    with pytest.raises(InputError, match="is not RDF/XML: unknown encoding"):
        load_vocabulary(path)


_UNSENDABLE = [
    ({"term": {"a": "b\ud800"}}, "half of a character"),
    ({"term": {"a\udcff": "b"}}, "half of a character"),
    ({"range": {"a": {"gt": float("nan")}}}, "cannot be written as JSON"),
    ({"terms": {"a": {1}}}, "cannot be written as JSON"),
    ({"term": {"a": b"b"}}, "cannot be written as JSON"),
]


@pytest.mark.parametrize(("query", "reason"), _UNSENDABLE, ids=range(len(_UNSENDABLE)))
def test_what_is_no_json_is_not_sent(query: dict[str, Any], reason: str) -> None:
    values = requests.Values(filters=(query,))
    with pytest.raises(InputError, match=reason):
        requests.ask("family", values)
    assert all(method == "GET" for method, _, _ in requests.Listener.sent)

    def calls() -> Any:
        yield Call("POST", "/articles/_search", {"query": query})

    async def send() -> None:
        async with AsyncElasticsearch("http://127.0.0.1:9") as client:
            await AsyncCalls(client).run(calls())

    with pytest.raises(InputError, match=reason):
        asyncio.run(send())


def test_a_name_with_half_of_a_character_is_not_sent() -> None:
    with pytest.raises(InputError, match="Correct the name"):
        requests.ask("related", requests.Values(index="a\udcff"))
    assert requests.Listener.sent == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"query":{"term":{"a":NaN}}}\n', "NaN is no JSON"),
        (b'{"query":{"term":{"a":"\xed\xa0\x80"}}}\n', "no JSON is sent"),
        (b'{"query":{"match":{"a":"b"}}}\n', "match"),
        (f'{{"size":"{requests.MARK}"}}\n'.encode(), "size"),
    ],
)
def test_a_request_of_another_structure_is_found(body: bytes, reason: str) -> None:
    sent = requests.sent_by("family", requests.HARMLESS)
    for each in sent:
        requests.check("family", requests.HARMLESS, each)
    method, target, _ = sent[-1]
    with pytest.raises(AssertionError, match=reason):
        requests.check("family", requests.HARMLESS, (method, target, b"{}\n" + body))
    with pytest.raises(AssertionError):
        requests.check("family", requests.HARMLESS, (method, "/articles/b/_msearch", b""))


def test_what_needs_a_missing_package_is_named() -> None:
    assert all("Without " in sentence for sentence in targets.left_out())
    with patch.object(damaged_files, "find_spec", lambda name: None):
        sentences = targets.left_out()
    assert "Without pypdf there are no files that end in .pdf." in sentences


def test_input_is_made_by_the_seed() -> None:
    def made(seed: int) -> tuple[list[str], str, bytes, object]:
        chosen = random.Random(seed)
        texts, bytes_ = hostile_texts(chosen, 20), damaged(b"abcd", chosen)
        bytes_ += spliced(b"abc", b"def", chosen)
        return texts, changed("a b c d", chosen), bytes_, altered([1], chosen)

    assert made(1) == made(1) != made(2)
