"""A look at an index: numbers, a sample, and what to do."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from es_simhash.diagnostics import findings
from es_simhash.diagnostics.distances import (
    Bar,
    Bits,
    bits_of,
    chance_within,
    histogram,
    nearest_distances,
)
from es_simhash.diagnostics.findings import MANY_VISITED, Finding
from es_simhash.diagnostics.probes import HotBlock, Prober, Recall, Visited
from es_simhash.diagnostics.sample import Sampled, draw, fingerprints_of, text_states
from es_simhash.diagnostics.settings import Standing, look
from es_simhash.diagnostics.status import Status, count_documents
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.fingerprints.simhash import Fingerprints
from es_simhash.indices import install
from es_simhash.indices.sidecar import sidecar_source
from es_simhash.storage.fields import DEFAULT_FIELD

SAMPLE = 1_000
# Unrelated documents within k, of all that an index has, for one query.
_LITTLE_CHANCE = 0.1


@dataclass(frozen=True)
class Examination:
    """What a look at an index found.

    Attributes:
        status: What the documents have.
        source: Index of the texts, when this one is a sidecar.
        standing: How mapping and settings stand.
        sampled: Documents of the sample.
        texts: Documents of the sample with fingerprints, by the state of their text: fresh,
            stale, missing, unreadable, or gone.
        without: Documents of the sample without fingerprints, in the same way.
        bits: Of the document fingerprints of the sample.
        nearest: Documents of the sample by the distance to the nearest other of them.
        hottest: Blocks that most documents have.
        visited: Documents that searches within the largest k look at.
        recall: What searches by blocks find of all that is within k.
        suggested: Largest k that is sure, cheap, and brings nothing by chance; its cost.
    """

    status: Status
    source: str | None
    standing: Standing
    sampled: int
    texts: Mapping[str, int]
    without: Mapping[str, int]
    bits: Bits
    nearest: tuple[Bar, ...]
    hottest: tuple[HotBlock, ...]
    visited: Visited
    recall: Recall
    suggested: Visited

    @property
    def findings(self) -> list[Finding]:
        """What was found and what to do about it, problems first."""
        index, documents = self.status.index, self.status.fingerprints.current
        where = index if self.source is None else f"{self.source} --sidecar {index}"
        backfill = f"es-simhash backfill {where}"
        found = [
            *findings.of_standing(self.standing, index),
            *findings.of_status(self.status, backfill),
            *findings.of_texts(self.texts, self.without, backfill),
            *findings.of_bits(self.bits),
            *findings.of_recall(self.recall),
            *findings.of_blocks(self.hottest, self.visited, self.suggested, documents),
        ]
        return sorted(found, key=lambda each: each.level != "problem")

    @property
    def healthy(self) -> bool:
        """True when nothing must be done."""
        return all(each.level != "problem" for each in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the examination as JSON has it."""
        findings = [asdict(each) for each in self.findings]
        return {**asdict(self), "findings": findings, "healthy": self.healthy}


def examine(
    client: Client,
    index: str,
    *,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    sample: int = SAMPLE,
) -> Examination:
    """Look at an index and a sample of its documents; nothing is written.

    Args:
        client: Of the cluster; the privileges `read` and `view_index_metadata` are enough.
        index: Index, alias, data stream, or sidecar.
        text_field: Field of the text.
        simhash_field: Name of our object.
        sample: Documents to draw, at most 10,000.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fields of ours.
    """
    made = install.installed(client, index, simhash_field)
    status = count_documents(client, index, simhash_field=simhash_field)
    drawn = draw(client, index, simhash_field, sample)
    states = list(zip(drawn, text_states(client, drawn, text_field), strict=True))
    known = [each for each in drawn if each.scheme == made.scheme.name]
    prints = fingerprints_of(known)
    prober = Prober(client, index, simhash_field, made.scheme)
    costs = _costs(prober, known, made.scheme.max_k)
    return Examination(
        status,
        sidecar_source(Gateway.of(client), index, simhash_field),
        look(client, index, simhash_field, made),
        len(drawn),
        dict(Counter(state for each, state in states if each.content_hash is not None)),
        dict(Counter(state for each, state in states if each.content_hash is None)),
        bits_of(prints),
        histogram(nearest_distances(prints)),
        tuple(prober.hottest(known, status.fingerprints.current)),
        costs[0],
        prober.recall(known, made.scheme.max_k),
        _suggested(costs[-1], prints, status.fingerprints.current),
    )


def _costs(prober: Prober, known: Sequence[Sampled], max_k: int) -> list[Visited]:
    """Return what searches cost, from the largest k down to the first that is cheap."""
    costs = []
    for k in range(max_k, -1, -1):
        costs.append(prober.visited(known, k))
        if costs[-1].nine_of_ten <= MANY_VISITED:
            break
    return costs


def _suggested(cheap: Visited, prints: Fingerprints, documents: int) -> Visited:
    """Return the cheap k, or a smaller one where unrelated documents lie within it."""
    k = cheap.k
    while k > 0 and documents * chance_within(prints, k) > _LITTLE_CHANCE:
        k -= 1
    return replace(cheap, k=k)
