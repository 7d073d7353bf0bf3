"""An examination of an index: counts, measurements of a sample, and what to do."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.maintenance.diagnostics.bit_distances import (
    BitBalance,
    DistanceBin,
    bit_balance,
    chance_within,
    histogram,
    nearest_distances,
)
from es_simhash.maintenance.diagnostics.block_searches import (
    BlockSearches,
    HotBlock,
    Recall,
    SearchCost,
)
from es_simhash.maintenance.diagnostics.document_sample import (
    FRESH,
    GONE,
    MISSING,
    STALE,
    SampledDocument,
    draw_sample,
    fingerprint_rows,
    fingerprinted_field,
    text_states,
)
from es_simhash.maintenance.diagnostics.findings import (
    MAX_EXAMINED,
    MAX_UNRELATED,
    Finding,
    bit_findings,
    block_findings,
    machine_findings,
    recall_findings,
    settings_findings,
    status_findings,
    text_findings,
)
from es_simhash.maintenance.diagnostics.index_state import (
    IndexSettings,
    count_documents,
    read_settings,
)
from es_simhash.semantics.semantic_scheme import absent_extras
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.block_scans import BlockScans
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.store import opened_store
from es_simhash.store.index_counts import Status
from es_simhash.store.installation.document_settings import document_settings
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.installation.text_fields import require_mapped
from es_simhash.store.source import field_names
from es_simhash.text.counting import counted

DEFAULT_SAMPLE = 1_000


@dataclass(frozen=True)
class Examination:
    """The result of examining an index.

    Attributes:
        status: Counts of its documents.
        source: Index of the texts, when this one is a sidecar.
        text_field: Field whose texts were compared with the fingerprints.
        configured_field: Field of the text where none is named.
        other_field: Field that was fingerprinted in place of that one; None where a text of the
            sample is fresh, or no field has the texts that were fingerprinted.
        settings: Its mapping and settings.
        sampled: Documents of the sample.
        fingerprinted: Documents of the sample with fingerprints, by the state of their text:
            fresh, stale, missing, unreadable, or gone.
        unfingerprinted: Documents of the sample without fingerprints, in the same way.
        bits: Of the document fingerprints of the sample.
        nearest: Documents of the sample by the distance to the nearest other of them.
        hottest: Blocks that most documents have.
        cost: Documents that searches within the largest k examine.
        recall: What searches by blocks find of all that is within k.
        suggested: Cost of the largest k that is guaranteed, cheap, and finds nothing by chance.
        absent_extras: Extras that this machine lacks to read every text of the index.
    """

    status: Status
    source: str | None
    text_field: str
    configured_field: str
    other_field: str | None
    settings: IndexSettings
    sampled: int
    fingerprinted: Mapping[str, int]
    unfingerprinted: Mapping[str, int]
    bits: BitBalance
    nearest: tuple[DistanceBin, ...]
    hottest: tuple[HotBlock, ...]
    cost: SearchCost
    recall: Recall
    suggested: SearchCost
    absent_extras: tuple[str, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        """Problems, then hints, each with what to do, those of most documents first."""
        index, documents = self.status.index, self.status.fingerprints.current
        target = index if self.source is None else f"{self.source} --sidecar {index}"
        backfill = f"es-simhash backfill {target}"
        if self.text_field != self.configured_field:
            backfill += f" --text-field {shlex.quote(self.text_field)}"
        findings = [
            *settings_findings(self.settings, index),
            *status_findings(self.status, backfill),
            *machine_findings(self.absent_extras),
            *text_findings(self.fingerprinted, self.unfingerprinted, backfill, self.other_field),
            *bit_findings(self.bits),
            *recall_findings(self.recall),
            *block_findings(self.hottest, self.cost, self.suggested, documents),
        ]
        return sorted(findings, key=lambda each: (each.level != "problem", -each.share))

    @property
    def in_order(self) -> list[str]:
        """What was examined and is as it should be, a sentence each."""
        prints, profiles, recall = self.status.fingerprints, self.status.profiles, self.recall
        documents = f"of {counted(self.status.documents, 'document')}"
        fresh, cost = self.fingerprinted.get(FRESH, 0), self.cost
        sentences = [
            (
                "The `simhash` fields are those of this version.",
                not (self.settings.conflict or self.settings.outdated),
            ),
            (
                f"{prints.current:,} {documents} have fingerprints, all of one scheme.",
                prints.current > 0 == prints.another and STALE not in self.unfingerprinted,
            ),
            (
                f"{'' if profiles is None else f'{profiles.current:,}'} {documents} have semantic "
                "profiles, all of one scheme.",
                profiles is not None and profiles.current >= prints.current > 0 == profiles.another,
            ),
            (
                f"The texts of {counted(fresh, 'sampled document')} in field {self.text_field!r} "
                "are those that were fingerprinted.",
                fresh == sum(self.fingerprinted.values()) > 0,
            ),
            (
                f"Searches with {counted(recall.queries, 'sampled document')} find all "
                f"{counted(recall.within, 'match', 'matches')} of a comparison with every one.",
                recall.found == recall.within > 0,
            ),
            (
                f"Searches are cheap: nine in ten compare {counted(cost.p90, 'document')} at most.",
                recall.queries > 0 and cost.p90 <= MAX_EXAMINED,
            ),
        ]
        return [sentence for sentence, is_so in sentences if is_so]

    @property
    def healthy(self) -> bool:
        """True when there is no problem."""
        return all(finding.level != "problem" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the examination as JSON has it."""
        findings = [asdict(finding) for finding in self.findings]
        in_order, healthy = self.in_order, self.healthy
        return {**asdict(self), "findings": findings, "in_order": in_order, "healthy": healthy}


def examine(
    client: Client,
    index: str,
    *,
    config: IndexConfig | None = None,
    sample_size: int = DEFAULT_SAMPLE,
    find_text_field: bool = False,
) -> Examination:
    """Return an examination of an index and a sample of its documents; nothing is written.

    Args:
        client: The client; the privileges `read` and `view_index_metadata` are enough.
        index: Index, alias, data stream, or sidecar.
        config: Names the fields of the text and of the `simhash` object.
        sample_size: Documents to draw, at most 10,000.
        find_text_field: Where no text of the sample is fresh, compare the field that holds the
            texts that were fingerprinted, which their content hashes tell, in place of the
            configured one.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no `simhash` fields.
    """
    gateway = Gateway.of(client)
    given = config or IndexConfig()
    store = opened_store(gateway, index, given)
    config = store.config
    configured = replace(given, text_field=IndexConfig.text_field).configured(
        document_settings(gateway, index, simhash_field=config.simhash_field)
    )
    status = count_documents(gateway, index, config=config)
    documents = status.fingerprints.current
    sample = draw_sample(store, config, sample_size)
    source = sidecar_source(gateway, index, config.simhash_field)
    text_field, other_field = config.text_field, None
    states = text_states(store, sample, text_field)
    if FRESH not in states:
        other_field = fingerprinted_field(store, sample, config.simhash_field)
    if find_text_field and other_field is not None:
        text_field, other_field = other_field, None
        states = text_states(store, sample, text_field)
    if states and set(states) <= {MISSING, GONE}:
        require_mapped(gateway.mappings(source or index), field_names(text_field))
    current = [document for document in sample if document.scheme == config.scheme.name]
    prints = fingerprint_rows(current)
    searches = BlockSearches(BlockScans(gateway, index, config))
    max_k = config.scheme.max_k
    costs = _costs(searches, current, max_k)
    return Examination(
        status=status,
        source=source,
        text_field=text_field,
        configured_field=configured.text_field,
        other_field=other_field,
        settings=read_settings(gateway, index, config),
        sampled=len(sample),
        fingerprinted=_count(sample, states, with_fingerprints=True),
        unfingerprinted=_count(sample, states, with_fingerprints=False),
        bits=bit_balance(prints),
        nearest=histogram(nearest_distances(prints)),
        hottest=tuple(searches.hottest(current, documents)),
        cost=costs[0],
        recall=searches.recall(current, max_k),
        suggested=_suggested(costs[-1], prints, documents),
        absent_extras=() if config.semantics is None else absent_extras(config.semantics),
    )


def _count(
    sample: Sequence[SampledDocument], states: Sequence[str], *, with_fingerprints: bool
) -> dict[str, int]:
    """Count documents with fingerprints, or those without, by the state of their text."""
    return dict(
        Counter(
            state
            for document, state in zip(sample, states, strict=True)
            if (document.content_hash is not None) is with_fingerprints
        )
    )


def _costs(
    searches: BlockSearches, sample: Sequence[SampledDocument], max_k: int
) -> list[SearchCost]:
    """Return what searches cost, from the largest k down to the first that is cheap."""
    costs = []
    for k in range(max_k, -1, -1):
        costs.append(searches.cost(sample, k))
        if costs[-1].p90 <= MAX_EXAMINED:
            break
    return costs


def _suggested(cheap: SearchCost, prints: Fingerprints, documents: int) -> SearchCost:
    """Return the cheap k, or a smaller one where unrelated documents lie within it."""
    k = cheap.k
    while k > 0 and documents * chance_within(prints, k) > MAX_UNRELATED:
        k -= 1
    return replace(cheap, k=k)
