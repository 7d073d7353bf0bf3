"""How long a family takes to be shown through an index, by its size.

    python -m tests.bench.family [--others 20000] [--rounds 40]

Families of versions of 20 KB, each with some sentences of the one before rewritten, among other
documents of that length, each with semantic features as `install` gives them. Prints the median and
the 90th percentile of `Index.family`.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from typing import Any

from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.questions.index import Index
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.install import install
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.bench.timing import percentiles

_INDEX = "bench-family"
# The bodies, as in the figures of before.
_TEXT = IndexConfig(text_field="text")
_SIZES = (1, 10, 60, 300)
# Of some 120 characters each.
_SENTENCES = 170
# Share of the sentences that a version has rewritten.
_REWRITTEN = 0.01


def versions(family: int, size: int) -> Iterator[dict[str, Any]]:
    """Yield the versions of one document, a month apart."""
    chosen = random.Random(family)
    (text,) = synthetic.texts(10_000_000 + family, 1, _SENTENCES)
    sentences = text.split(". ")
    for number in range(size):
        year, month = divmod(number, 12)
        yield {
            "id": f"{family}-{number}",
            "title": f"Version {number} of {family}",
            "date": f"{1990 + year}-{month + 1:02d}-01",
            "text": ". ".join(sentences),
        }
        for _ in range(max(1, round(_REWRITTEN * len(sentences)))):
            new = synthetic.texts(20_000_000 + chosen.randrange(1_000_000), 1, 1)
            sentences[chosen.randrange(len(sentences))] = next(iter(new)).rstrip(". ")


def documents(others: int) -> Iterator[dict[str, Any]]:
    """Yield the families, and other documents."""
    for family, size in enumerate(_SIZES):
        yield from versions(family, size)
    for number, text in enumerate(synthetic.texts(0, others, _SENTENCES)):
        yield {"id": f"other-{number}", "text": text}


def main(argv: Sequence[str] | None = None) -> None:
    """Write the documents, find the families, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args(argv)
    with bench_client() as client:
        names = [_INDEX, f"{_INDEX}-simhash"]
        client.indices.delete(index=names, ignore_unavailable=True)
        install(client, _INDEX)
        client.indices.put_mapping(index=_INDEX, properties={"date": {"type": "date"}})
        try:
            failed = sum(
                not each.ok
                for each in ingest(client, _INDEX, documents(options.others), config=_TEXT)
            )
            assert not failed, f"{failed} documents were not written"
            client.indices.refresh(index=_INDEX)
            find_families(client, _INDEX)
            index = Index(client, _INDEX)
            print(f"{options.others} other documents, {options.rounds} calls each")
            for family, size in enumerate(_SIZES):
                id = f"{family}-{size // 2}"
                history = index.family(id, date_field="date")
                median, high = percentiles(
                    lambda id: index.family(id, date_field="date"), [id] * options.rounds
                )
                characters = sum(each.characters for each in history.members) // len(
                    history.members
                )
                print(
                    f"{history.documents:4d} documents in the family, {characters:6d} characters "
                    f"each: median {median:6.1f} ms, 90th percentile {high:6.1f} ms"
                )
        finally:
            client.indices.delete(index=names, ignore_unavailable=True)


if __name__ == "__main__":
    run(main)
