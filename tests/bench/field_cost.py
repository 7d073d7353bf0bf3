"""What each of our fields costs the node when documents are written, and takes on disk.

    python -m tests.bench.field_cost [--documents 5000] [--rounds 2]

Real news, with the fields of `install`. A document is written with its id and text alone, with all
members of the `simhash` object, and with each of them alone; what that costs more than the text is
of that member: its bytes in the request, its place in `_source`, its index structures, and their
merges until one segment is left. Processor time of the node (Linux), the least of the rounds, which
take turns, as others may use the machine.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import elasticsearch

from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.encoding import encode
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.install import install
from es_simhash.text.segmentation import text_batches
from scripts.local_node import node as nodes
from tests.bench.program import run
from tests.bench.question import node_milliseconds
from tests.support import datasets

_NODE, _INDEX = "bench-fields", "bench-fields"
_SETS = ("bbc_news", "wire_news")
_BATCH = 250
TEXT, EVERYTHING = "id and text alone", "all members"


class FieldCost(NamedTuple):
    """Microseconds of the node's processor and bytes on disk, a document."""

    indexing: float
    merging: float
    stored: float


def encoded_news(count: int) -> tuple[list[str], list[dict[str, Any]]]:
    """Return texts of real news, and the `simhash` object of each."""
    documents = (each["text"] for name in _SETS for each in datasets.documents(name))
    texts = list(islice(documents, count))
    config = IndexConfig(semantics=DEFAULT_SEMANTICS)
    objects = (one for batch in text_batches(texts) for one in encode(batch, config).objects)
    return texts, [json.loads(one) for one in objects]


def variants(objects: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Return the members of each variant, by its name."""
    members = tuple(dict.fromkeys(name for one in objects for name in one))
    return {TEXT: (), EVERYTHING: members, **{name: (name,) for name in members}}


def write(
    client: elasticsearch.Elasticsearch,
    node: int,
    texts: Sequence[str],
    objects: Sequence[Mapping[str, Any]],
    members: Sequence[str],
) -> FieldCost:
    """Write the documents with some members into a fresh index and return what they cost."""
    client.indices.delete(index=_INDEX, ignore_unavailable=True)
    settings = {"number_of_shards": 1, "number_of_replicas": 0}
    mappings = {"properties": {"text": {"type": "text"}}}
    client.indices.create(index=_INDEX, settings=settings, mappings=mappings)
    install(client, _INDEX, semantics=DEFAULT_SEMANTICS)
    bodies = list(_bodies(texts, objects, members))
    start = node_milliseconds(node)
    for body in bodies:
        answer = client.bulk(index=_INDEX, operations=body)
        assert not answer["errors"], answer["items"][0]
    client.indices.refresh(index=_INDEX)
    indexed = node_milliseconds(node)
    client.indices.forcemerge(index=_INDEX, max_num_segments=1, flush=True)
    merged = node_milliseconds(node)
    client.indices.refresh(index=_INDEX)
    stored = client.indices.stats(index=_INDEX, metric="store")["_all"]["primaries"]["store"]
    spent = (1000 * (indexed - start), 1000 * (merged - indexed), stored["size_in_bytes"])
    return FieldCost(*(each / len(texts) for each in spent))


def _bodies(
    texts: Sequence[str], objects: Sequence[Mapping[str, Any]], members: Sequence[str]
) -> Iterator[list[Any]]:
    """Yield the bulk requests, written as JSON before anything is measured."""
    wanted = set(members)
    for start in range(0, len(texts), _BATCH):
        lines: list[bytes] = []
        for number in range(start, min(start + _BATCH, len(texts))):
            document: dict[str, Any] = {"text": texts[number]}
            if wanted:
                some = {name: value for name, value in objects[number].items() if name in wanted}
                document[DEFAULT_FIELD] = some
            action = {"index": {"_id": str(number)}}
            lines += [json.dumps(action).encode(), json.dumps(document).encode()]
        yield lines


def main(argv: Sequence[str] | None = None) -> None:
    """Write each variant in turn and print what each member costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args(argv)
    texts, objects = encoded_news(options.documents)
    node = nodes.start(name=_NODE)
    try:
        with connect(node.url, timeout=600) as client:
            costs = measure(client, node.pid, texts, objects, options.rounds)
    finally:
        nodes.stop(_NODE)
    show(costs, len(texts))


def measure(
    client: elasticsearch.Elasticsearch,
    node: int,
    texts: Sequence[str],
    objects: Sequence[Mapping[str, Any]],
    rounds: int,
) -> dict[str, FieldCost]:
    """Return the least cost of each variant; all of them are written once to warm up."""
    named = variants(objects)
    for members in ((), named[EVERYTHING]):
        write(client, node, texts, objects, members)
    runs: dict[str, list[FieldCost]] = {name: [] for name in named}
    for _ in range(rounds):
        for name, members in named.items():
            runs[name].append(write(client, node, texts, objects, members))
    client.indices.delete(index=_INDEX)
    return {name: FieldCost(*map(min, zip(*some, strict=True))) for name, some in runs.items()}


def show(costs: Mapping[str, FieldCost], documents: int) -> None:
    """Print the table, the dearest member first."""
    text = costs[TEXT]
    print(f"{documents} news texts; microseconds of the node and bytes, a document")
    print(f"{'':24}{'indexing':>10}{'merging':>10}{'bytes':>10}")
    for name in (TEXT, EVERYTHING):
        print(f"{name:24}" + "".join(f"{value:10.0f}" for value in costs[name]))
    members = [(name, cost) for name, cost in costs.items() if name not in (TEXT, EVERYTHING)]
    for name, cost in sorted(members, key=lambda row: -row[1].indexing - row[1].merging):
        more = (value - base for value, base in zip(cost, text, strict=True))
        print(f"  {name:22}" + "".join(f"{value:+10.0f}" for value in more))


if __name__ == "__main__":
    run(main)
