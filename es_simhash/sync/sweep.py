"""A sweep: enrich what was written since, give it families, and decide what the rules say."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from es_simhash.backfills.job import BackfillJob
from es_simhash.backfills.preconditions import open_job, require_text
from es_simhash.backfills.report import Report
from es_simhash.backfills.run import Settings, run_backfill
from es_simhash.bulk.outcome import Outcome
from es_simhash.deduplication.rules import OnVersion
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import InputError
from es_simhash.families.find import find_families
from es_simhash.families.links import Progress
from es_simhash.families.report import Choice, Family, Found
from es_simhash.families.snapshot import Key
from es_simhash.indices.sidecar import sidecar_source
from es_simhash.indices.state_index import StateIndex, SweepCheckpoint
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.fields import DEFAULT_FIELD
from es_simhash.sync.arrivals import Arrival, arrivals, families_named
from es_simhash.sync.checkpoints import checkpoints, since
from es_simhash.sync.decisions import FamilyPolicy, require_one_index
from es_simhash.sync.report import Swept


def sweep(
    client: Client,
    index: str,
    *,
    on_version: OnVersion | str | None = None,
    choice: Choice | None = None,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    vocabulary: str | None = None,
    failures: Path | None = None,
    settings: Settings | None = None,
    report: Callable[[Report], None] = lambda report: None,
    progress: Progress | None = None,
) -> Swept:
    """Find what was written since the last sweep, whoever wrote it, and bring it up to date.

    Documents without our fields get them, those whose text was changed get new ones; then they are
    given families, and with rules the versions among them are flagged, linked, or taken out. How
    far a sweep has come is remembered, by the sequence numbers of each shard, in INDEX-simhash
    when it has ended; one that was killed is done again, and does nothing twice. The first looks
    at all documents, and takes none out. When nothing was written, no document is read.

    With more than one process, a program needs the guard `if __name__ == "__main__":`.

    Args:
        client: The client.
        index: An index, alias or data stream with our fields; see `install`.
        on_version: What becomes of a document that came since and is a version of another of its
            family: an action, or all rules; by default nothing.
        choice: Who represents a family; by default as in the last run of `find_families`.
        text_field: Field of the text; dots lead into objects.
        simhash_field: Field of the fingerprints.
        vocabulary: File of the vocabulary, where the index was installed with one.
        failures: JSONL file for ids of documents that cannot be enriched.
        settings: How enriching works.
        report: Told how far enriching is.
        progress: Told how far families are.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no such fields, or its documents could not be kept whole.
        ClusterError: The cluster takes no documents, is away for too long, or a privilege is
            missing.
        InputError: The name is that of a sidecar or a pattern, or no document has such a field.
    """
    settings = replace(settings or Settings(), failures=failures, report=report)
    state_index = StateIndex(client, index, simhash_field)
    rules = None if on_version is None else OnVersion.of(on_version)
    job = _open(client, index, text_field, simhash_field, vocabulary)
    if rules is not None:
        require_one_index(rules, job.indices)
    # Asked for before anything is read, so that nothing falls between two sweeps.
    now = checkpoints(client, index)
    told = _told(job)
    last = state_index.last_sweep(told)
    parts = since(now, last.seq_nos)
    reached = SweepCheckpoint({each.name: each.seq_no for each in now})
    is_first = not last.seq_nos
    if not parts:
        if is_first:
            state_index.write_sweep(told, reached)
        return Swept()
    came: dict[Key, Arrival] = {}
    if rules is not None:
        came = arrivals(client, parts, simhash_field, rules.date_field, is_first=is_first)
    gateway = Gateway.of(client, settings.retry)
    require_text(gateway, job, {"match_all": {}})
    enriched = _enriched(run_backfill(gateway, job, parts, settings))
    found = find_families(
        client,
        index,
        choice=choice or Choice.as_told(state_index.last_run()),
        text_field=text_field,
        simhash_field=simhash_field,
        progress=progress,
    )
    swept = Swept(enriched, found)
    if rules is not None:
        state_index.write_sweep(told, SweepCheckpoint(last.seq_nos, deciding=True))
        families = _families(client, index, state_index, found, came, simhash_field)
        with FamilyPolicy(client, index, job.config, rules, settings.retry) as policy:
            if last.deciding:
                policy.finish()
            policy.decide(families, came)
        swept = _with_decisions(swept, policy)
    state_index.write_sweep(told, reached)
    return swept


def _open(
    client: Client,
    index: str,
    text_field: str,
    simhash_field: str,
    vocabulary: str | None,
) -> BackfillJob:
    of = sidecar_source(Gateway.of(client), index, simhash_field)
    if of is not None:
        raise InputError(
            f"{index!r} is the sidecar of {of!r}; `es-simhash backfill {of} --sidecar {index}` "
            "brings it up to date."
        )
    config = IndexConfig(text_field=text_field, simhash_field=simhash_field, vocabulary=vocabulary)
    return open_job(Gateway.of(client), index, config)


def _told(job: BackfillJob) -> str:
    """Return what makes documents look new to a sweep when it is another than that of the last."""
    config = job.config
    semantics = config.semantics.name if config.semantics else None
    return f"{config.text_field} {config.scheme.name} {semantics}"


def _families(
    client: Client,
    index: str,
    state_index: StateIndex,
    found: Found,
    came: Mapping[Key, Arrival],
    field: str,
) -> Iterator[Family]:
    """Yield the families that were looked at, and those that arrivals had before."""
    yield from found.families
    looked_at = {each.name for each in found.families}
    earlier = {each.family for each in came.values() if each.family is not None}
    yield from families_named(
        client, index, field, (earlier & state_index.sizes().keys()) - looked_at
    )


def _with_decisions(swept: Swept, policy: FamilyPolicy) -> Swept:
    return replace(
        swept,
        decisions=policy.decisions,
        left=tuple(policy.left),
        audit=policy.audit,
        run=policy.run,
    )


def _enriched(outcomes: Iterable[Outcome]) -> Counter[str]:
    return Counter(each.status for each in outcomes)
