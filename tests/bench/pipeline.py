"""The ingest pipeline beside the Python code: bits that differ, and what it costs a document.

    python -m tests.bench.pipeline [--url URL] [--texts 2000] [--rounds 3]

Without --url an OpenSearch is started for the time of the bench. Compared are every conformance
vector, every code point of Unicode, and real texts in more than eighty languages. The cost is what
the engine counts for the pipeline, and bulk requests with it beside the same ones without it.
"""

import argparse
import json
import statistics
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.fingerprints.text_fingerprints import fingerprint_batch, fingerprint_texts
from es_simhash.store import conformance, pipeline
from es_simhash.store.codec import simhash_object
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.text.segmentation import text_batches
from tests.bench.program import measure, run
from tests.support import datasets
from tests.support.opensearch import opensearch, request

Object = dict[str, Any]

OTHER = Scheme.parse("doc64-word2-b5.chunk128-char4-t3-20.shingle24-word4-w64.v2")
# Shares of the sets of which texts are taken; all of udhr, which is in 82 languages.
_SHARES = {
    "bbc_news": 400,
    "pep_versions": 250,
    "law_versions_de": 250,
    "law_versions_zh": 250,
    "thucnews_zh": 250,
    "bib_records": 108,
}
_SENTENCES = {"de": 100, "es": 100, "fr": 100, "ja": 100}
_CODES_A_TEXT = 1024
_BULK_CHARACTERS = 500_000


def real_texts() -> Iterator[str]:
    """Yield 2,000 texts of the evaluation data, the languages mixed."""
    parts = [partial(_texts_of, "udhr", None)]
    parts += [partial(_texts_of, name, share) for name, share in _SHARES.items()]
    parts += [partial(_sentences, language, share) for language, share in _SENTENCES.items()]
    sets = [iter(texts) for texts in measure(parts)]
    while sets:
        for texts in list(sets):
            text = next(texts, None)
            if text is None:
                sets.remove(texts)
            else:
                yield text


def _texts_of(name: str, share: int | None) -> list[str]:
    return [each["text"] for each in datasets.documents(name)[:share]]


def _sentences(language: str, share: int | None) -> list[str]:
    path = datasets.data_file("stsb_multi", f"test_{language}.jsonl")
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["text1"] for line in islice(lines, share)]


def every_code_point() -> Iterator[str]:
    """Yield texts that hold each code point once, between a letter and a space."""
    for first in range(0, 0x110000, _CODES_A_TEXT):
        yield "".join(f"a{chr(code)} " for code in range(first, first + _CODES_A_TEXT))


def differing_bits(found: object, expected: object) -> int:
    """Count the bits in which two objects differ, written as JSON."""
    one, other = (json.dumps(each, sort_keys=True).encode() for each in (found, expected))
    bits = sum((a ^ b).bit_count() for a, b in zip(one, other, strict=False))
    return bits + 8 * abs(len(one) - len(other))


@contextmanager
def installed(url: str, scheme: Scheme = DEFAULT, **options: Any) -> Iterator[str]:
    """Install the pipeline under a name of its own, give the name, and delete it at the end."""
    name = f"simhash-{uuid.uuid4().hex}"
    path = f"{url}/_ingest/pipeline/{name}"
    _accepted(request(path, "PUT", pipeline.pipeline_body(scheme, **options)))
    try:
        yield name
    finally:
        request(path, "DELETE")


@contextmanager
def empty_index(url: str) -> Iterator[str]:
    """Make an index that stores our object as it comes, and delete it at the end."""
    name = f"painless-{uuid.uuid4().hex}"
    members = {DEFAULT_FIELD: {"type": "object", "enabled": False}}
    settings = {"number_of_shards": 1, "number_of_replicas": 0}
    body = {"settings": settings, "mappings": {"properties": members}}
    _accepted(request(f"{url}/{name}", "PUT", body))
    try:
        yield name
    finally:
        request(f"{url}/{name}", "DELETE")


def _accepted(answer: Any) -> Any:
    if answer.get("error") or answer.get("errors"):
        raise ClusterError(f"The engine refuses: {json.dumps(answer)[:500]}.")
    return answer


def write(url: str, index: str, texts: Iterable[str], name: str | None = None) -> int:
    """Write texts with bulk requests, through a pipeline when one is named; tell how many."""
    path = f"{url}/{index}/_bulk" + (f"?pipeline={name}" if name else "")
    count, lines, characters = 0, [], 0
    for count, text in enumerate(texts, 1):
        lines += [json.dumps({"index": {"_id": str(count - 1)}}), json.dumps({"text": text})]
        characters += len(text)
        if characters > _BULK_CHARACTERS:
            _accepted(request(path, "POST", ("\n".join(lines) + "\n").encode()))
            lines, characters = [], 0
    if lines:
        _accepted(request(path, "POST", ("\n".join(lines) + "\n").encode()))
    return count


def read(url: str, index: str, count: int) -> Iterator[Object]:
    """Yield the stored object of each document that `write` wrote."""
    for begin in range(0, count, 200):
        ids = [str(number) for number in range(begin, min(begin + 200, count))]
        answer = request(f"{url}/{index}/_mget?_source={DEFAULT_FIELD}", "POST", {"ids": ids})
        yield from (each["_source"][DEFAULT_FIELD] for each in _accepted(answer)["docs"])


def compare(url: str, texts: Sequence[str], scheme: Scheme = DEFAULT) -> tuple[int, list[int]]:
    """Write texts through the pipeline and compare what is stored with what Python gives.

    Returns:
        Bits that differ, and the numbers of the texts that have such.
    """
    with installed(url, scheme) as name, empty_index(url) as index:
        write(url, index, texts, name)
        found = read(url, index, len(texts))
        expected = map(simhash_object, fingerprint_texts(texts, scheme))
        bits = [differing_bits(*pair) for pair in zip(found, expected, strict=True)]
    return sum(bits), [number for number, count in enumerate(bits) if count]


def compare_vectors(url: str) -> tuple[int, int]:
    """Compare all conformance vectors; give their number and the bits that differ."""
    of_scheme = defaultdict(list)
    for vector in conformance.vectors():
        of_scheme[vector["scheme"]].append(vector)
    bits = 0
    for scheme, vectors in of_scheme.items():
        with installed(url, Scheme.parse(scheme)) as name, empty_index(url) as index:
            write(url, index, (vector["text"] for vector in vectors), name)
            for vector, found in zip(vectors, read(url, index, len(vectors)), strict=True):
                bits += differing_bits(found, vector["simhash"])
    return sum(map(len, of_scheme.values())), bits


def script_milliseconds(url: str, texts: Sequence[str]) -> float:
    """Return the milliseconds the engine counts for the pipeline, a document.

    Each text is written by a request of its own: OpenSearch counts the time of a bulk request once
    for each of its documents.
    """
    with installed(url) as name, empty_index(url) as index:
        for text in texts:
            _accepted(request(f"{url}/{index}/_doc?pipeline={name}", "POST", {"text": text}))
        nodes = request(f"{url}/_nodes/stats/ingest")["nodes"].values()
    stats = [node["ingest"]["pipelines"][name] for node in nodes]
    return float(sum(each["time_in_millis"] for each in stats) / len(texts))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _print_conformance(url: str, texts: Sequence[str]) -> None:
    number, bits = compare_vectors(url)
    print(f"{number:9,} conformance vectors   {bits} differing bits")
    codes = list(every_code_point())
    print(f"{0x110000:9,} code points           {compare(url, codes)[0]} differing bits")
    for scheme in (DEFAULT, OTHER):
        bits, differing = compare(url, texts, scheme)
        print(f"{len(texts):9,} real texts            {bits} differing bits   {scheme.name}")
        for number in differing[:5]:
            print(f"          differs: {texts[number][:80]!r}")


def _print_cost(url: str, texts: Sequence[str], rounds: int) -> None:
    plain, through = [], []
    with installed(url) as name, empty_index(url) as index:
        for _ in range(rounds):
            plain.append(_seconds(lambda: write(url, index, texts)))
            through.append(_seconds(lambda: write(url, index, texts, name)))
    cost = script_milliseconds(url, texts)
    characters = statistics.mean(map(len, texts))
    print(f"the script takes {cost:.2f} ms a document of {characters:,.0f} characters, ", end="")
    print(f"{characters / cost / 1000:.1f} million characters a second")
    for what, seconds in (("without the pipeline", plain), ("with it", through)):
        median = statistics.median(seconds)
        print(f"bulk {what:21s} {len(texts) / median:7,.0f} documents/s, one writer")
    seconds = [_seconds(lambda: _fingerprint(texts)) for _ in range(rounds)]
    rate = len(texts) / statistics.median(seconds)
    print(f"Python, fingerprints alone {rate:7,.0f} documents/s, one process")


def _fingerprint(texts: Sequence[str]) -> None:
    for batch in text_batches(texts):
        fingerprint_batch(batch)


def _print_long(url: str) -> None:
    """One text of 1 MB and one of 16, words and single characters, with what they cost."""
    words = " ".join(f"word{number % 9973}" for number in range(200_000))
    for label, text in {
        "1 MB of words": words[:1_000_000],
        "1 MB of one letter": "a" * 1_000_000,
        "1 MB of one word": "again " * 166_667,
        "1 MB of Chinese": "".join(chr(0x4E00 + number * 7 % 9000) for number in range(333_333)),
        "16 MB of words": (words * 10)[: 16 << 20],
    }.items():
        with installed(url) as name, empty_index(url) as index:
            seconds = _seconds(lambda text=text: write(url, index, [text], name))  # type: ignore[misc]
            found = next(read(url, index, 1))
        expected = simhash_object(next(fingerprint_texts([text])))
        what = found.get("error") or f"{differing_bits(found, expected)} differing bits"
        print(f"{label:20s} {seconds * 1000:7,.0f} ms   {what}")


def main(argv: Sequence[str] | None = None) -> None:
    """Print the comparison and the cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="engine with Painless; by default an OpenSearch is started")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(argv)
    texts = list(islice(real_texts(), options.texts))
    with ExitStack() as stack:
        url = options.url or stack.enter_context(opensearch(heap="2g"))
        _print_conformance(url, texts)
        _print_cost(url, texts, options.rounds)
        _print_long(url)


if __name__ == "__main__":
    run(main)
