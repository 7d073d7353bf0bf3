"""What the measurements of an index mean, and what to do about it."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from es_simhash.errors import install_command
from es_simhash.maintenance.diagnostics.bit_distances import BitBalance
from es_simhash.maintenance.diagnostics.block_searches import HotBlock, Recall, SearchCost
from es_simhash.maintenance.diagnostics.document_sample import (
    DAMAGED,
    MISSING,
    STALE,
    UNREADABLE,
)
from es_simhash.maintenance.diagnostics.index_state import IndexSettings
from es_simhash.store.index_counts import SchemeCoverage, Status, other_threshold
from es_simhash.text.counting import counted, percent, plural

# Shares of the documents from which empty texts are a hint, and a problem.
_SOME_EMPTY, _MANY_EMPTY = 0.01, 0.2
# A block is hot when so large a share of at least so many documents has it, many times as many as
# by chance.
_HOT_SHARE, _MIN_HOT, _HOT_TIMES = 0.05, 20, 10
# Documents a search may examine before it is slow.
MAX_EXAMINED = 50_000
# Unrelated documents within k, of all that an index has, for one query.
MAX_UNRELATED = 0.1
_MANY_SEGMENTS = 30
# Share of uneven bits that is a hint.
_UNEVEN_SHARE = 0.25


@dataclass(frozen=True)
class Finding:
    """A problem or a hint.

    Attributes:
        level: `problem` for what must be done, `hint` for what may be.
        message: What was measured, in one sentence.
        advice: What to do.
        share: Share of the documents that it concerns, of those that were examined.
    """

    level: Literal["problem", "hint"]
    message: str
    advice: str
    share: float = 1.0


def status_findings(status: Status, backfill: str) -> Iterator[Finding]:
    """Yield findings on the counts of an index.

    Args:
        status: The counts.
        backfill: The command that completes the index.
    """
    learn = f"Run `es-simhash background {status.index}`."
    yield from _scheme_findings(status.fingerprints, "fingerprints", backfill)
    if status.profiles is None:
        yield Finding(
            "hint",
            "The index finds versions alone, no semantic neighbours.",
            f"If you want them: `es-simhash install {status.index}`, then `{backfill}`.",
        )
    else:
        yield from _scheme_findings(status.profiles, "semantic profiles", backfill)
        lacking = status.fingerprints.current - status.profiles.current - status.profiles.another
        if lacking > 0:
            yield Finding(
                "problem",
                f"{_with_fingerprints(lacking)}, but no semantic profile, as semantic neighbours "
                "need it.",
                f"Run `{backfill}`.",
                _share(lacking, status.documents),
            )
    yield from _method_findings(status, backfill)
    for stored in (status.background, status.vectors):
        if stored is not None and stored.problem is not None:
            message, _, advice = stored.problem.partition(". ")
            yield Finding("problem", f"{message.rstrip('.')}.", advice or learn)
    for left_out in status.left_out:
        name = left_out.index
        yield Finding(
            "hint",
            f"Index {name!r} has {left_out.reason}: its documents are in no answer.",
            f"If they should be: `es-simhash install {name}`, then `es-simhash backfill {name}`.",
        )
    if status.other_scoring is not None:
        yield Finding("problem", *other_threshold(status.other_scoring, status.index))
    if status.failed:
        yield Finding(
            "problem",
            f"The ingest pipeline could not fingerprint {counted(status.failed, 'document')}.",
            f"Their member `error` has the reason; `{backfill}` tries them again.",
            _share(status.failed, status.documents),
        )
    yield from _empty_findings(status)


def _share(some: int, of: int) -> float:
    return some / max(of, 1)


def _with_fingerprints(count: int) -> str:
    return f"{counted(count, 'document')} {plural(count, 'has', 'have')} fingerprints"


def _scheme_findings(coverage: SchemeCoverage, what: str, backfill: str) -> Iterator[Finding]:
    if coverage.another:
        yield Finding(
            "problem",
            f"{counted(coverage.another, 'document')} {plural(coverage.another, 'has', 'have')} "
            f"{what} of another scheme, which are compared with none of the others.",
            f"Run `{backfill}`.",
            _share(coverage.another, coverage.current + coverage.another + coverage.none),
        )


def _method_findings(status: Status, backfill: str) -> Iterator[Finding]:
    for method in status.methods:
        yield from _scheme_findings(method, f"fingerprints of {method.method}", backfill)
        # Documents that no program of this package wrote lack those of the index as well.
        if (lacking := method.none - status.fingerprints.none) > 0:
            yield Finding(
                "problem",
                f"{_with_fingerprints(lacking)}, but none of {method.method}.",
                f"Run `{backfill}`.",
                _share(lacking, status.documents),
            )
        if method.unreadable:
            yield Finding(
                "hint",
                f"{counted(method.unreadable, 'document')} "
                f"{plural(method.unreadable, 'is', 'are')} in languages that {method.method} does "
                "not read.",
                "Search them by another method.",
                _share(method.unreadable, status.documents),
            )


def _empty_findings(status: Status) -> Iterator[Finding]:
    fingerprinted = status.fingerprints.current + status.fingerprints.another
    share = status.empty / fingerprinted if fingerprinted else 0.0
    if share >= _SOME_EMPTY:
        yield Finding(
            "problem" if share >= _MANY_EMPTY else "hint",
            f"{counted(status.empty, 'text')} ({percent(share)}) "
            f"{plural(status.empty, 'has', 'have')} no word, so that nothing is related.",
            "Check whether --text-field names the field of the text; if it does, leave them.",
            share,
        )


_READ_BY = {
    "chinese": "Chinese texts",
    "languages": "texts in some 40 languages, not those in English, German and Spanish,",
    "spacy": "all texts",
}


def machine_findings(absent: Sequence[str]) -> Iterator[Finding]:
    """Yield findings on the extras that this machine lacks to read the texts of an index."""
    for extra in absent:
        yield Finding(
            "hint",
            f"This machine lacks the extra {extra!r}: {_READ_BY[extra]} are refused here.",
            f"If you need them: `{install_command(extra)}`.",
        )


def text_findings(
    fingerprinted: Mapping[str, int],
    unfingerprinted: Mapping[str, int],
    backfill: str,
    other_field: str | None,
) -> Iterator[Finding]:
    """Yield findings on the texts of a sample.

    Args:
        fingerprinted: Documents with fingerprints by the state of their text.
        unfingerprinted: Documents without fingerprints by the state of their text.
        backfill: The command that completes the index.
        other_field: Field that was fingerprinted in place of the one that was examined.
    """
    if other_field is not None:
        yield Finding(
            "problem",
            f"The texts that were fingerprinted are in another field, {other_field!r}.",
            f"Set --text-field {shlex.quote(other_field)}, here and in other commands.",
        )
    elif stale := fingerprinted.get(STALE, 0) + fingerprinted.get(MISSING, 0):
        with_fingerprints = sum(fingerprinted.values())
        yield Finding(
            "problem",
            f"{stale} of {with_fingerprints} sampled documents have another text than the one "
            "that was fingerprinted, or none in this field.",
            f"Run `{backfill} --check`, with --text-field if the text is elsewhere.",
            _share(stale, with_fingerprints),
        )
    if damaged := fingerprinted.get(DAMAGED, 0):
        yield Finding(
            "problem",
            f"{counted(damaged, 'sampled document')} {plural(damaged, 'has', 'have')} damaged "
            "fingerprints, with which searches fail, or lost the vectors, by which they are found.",
            f"Run `{backfill} --check`.",
            _share(damaged, sum(fingerprinted.values())),
        )
    sampled = sum(fingerprinted.values()) + sum(unfingerprinted.values())
    if lacking := unfingerprinted.get(STALE, 0):
        yield Finding(
            "problem",
            f"{counted(lacking, 'sampled document')} {plural(lacking, 'has', 'have')} a text, but "
            "no fingerprints.",
            f"Run `{backfill}`.",
            _share(lacking, sampled),
        )
    if unreadable := fingerprinted.get(UNREADABLE, 0) + unfingerprinted.get(UNREADABLE, 0):
        yield Finding(
            "hint",
            f"{counted(unreadable, 'sampled document')} {plural(unreadable, 'has', 'have')} "
            "something else than text in the field.",
            "Name another field with --text-field, or leave them without fingerprints.",
            _share(unreadable, sampled),
        )


def bit_findings(bits: BitBalance) -> Iterator[Finding]:
    """Yield findings on the bits of the fingerprints."""
    if bits.dead:
        yield Finding(
            "problem",
            f"{len(bits.dead)} bits are the same in {bits.different} different fingerprints, so "
            "that these distinguish less than they should.",
            "Run `es-simhash selftest`; if it passes, other code wrote the fingerprints: clear "
            "them and run `es-simhash backfill`.",
        )
    elif bits.uneven > _UNEVEN_SHARE:
        yield Finding(
            "hint",
            f"The fingerprints are much alike, {bits.uneven:.0%} of their bits in four of five: "
            "the texts are very short, or have much in common.",
            "Leave what all of them share, such as a template, out of the field of the text.",
        )


def block_findings(
    blocks: Sequence[HotBlock], cost: SearchCost, suggested: SearchCost, documents: int
) -> Iterator[Finding]:
    """Yield findings on blocks that many documents have, and on what searches cost.

    Args:
        blocks: The blocks that most documents have, the most frequent first.
        cost: Of searches within the largest k.
        suggested: Of searches within the k that is suggested.
        documents: Documents of the index that have fingerprints.
    """
    hot = [block for block in blocks if _is_hot(block, documents)]
    # What many texts share gives them several blocks in common, which say the same.
    for are_copies in (False, True):
        if block := next((each for each in hot if (each.texts == 1) is are_copies), None):
            yield _block_finding(block, documents)
    if cost.p90 > MAX_EXAMINED:
        yield Finding(
            "problem",
            f"Searches are slow: one in ten compares {counted(cost.p90, 'document')} or more.",
            f"Search with --k {suggested.k}, for which it is {suggested.p90:,}; or leave what "
            "many texts share out of the field of the text.",
            0.1,
        )


def _is_hot(block: HotBlock, documents: int) -> bool:
    are_many = block.documents >= max(_MIN_HOT, _HOT_TIMES * block.expected)
    return are_many and _share(block.documents, documents) >= _HOT_SHARE


def _block_finding(block: HotBlock, documents: int) -> Finding:
    share = _share(block.documents, documents)
    some = f"{counted(block.documents, 'document')} ({percent(share)})"
    if block.texts == 1:
        return Finding(
            "hint",
            f"{some} have the same text, or nearly so: each of their searches compares all.",
            "Group them with `es-simhash families run`. They cost nothing but time.",
            share,
        )
    return Finding(
        "hint",
        f"{some} have much of their text in common, as versions or a template; in the sample they "
        f"are {block.texts} different texts.",
        "Group versions with `es-simhash families run`; leave a template that many texts share out "
        "of the field of the text.",
        share,
    )


def recall_findings(recall: Recall) -> Iterator[Finding]:
    """Yield findings on what searches by blocks miss."""
    if recall.found < recall.within:
        missed = recall.within - recall.found
        yield Finding(
            "problem",
            f"Searches miss {missed} of {recall.within} near-identical documents, "
            f"{', '.join(recall.missed)} among them: their blocks are not those of their "
            "fingerprints.",
            "Write these documents again with `es-simhash ingest`; other code has changed them.",
            _share(missed, recall.within),
        )


def settings_findings(settings: IndexSettings, index: str) -> Iterator[Finding]:
    """Yield findings on mapping and settings."""
    if settings.conflict:
        yield Finding(
            "problem",
            settings.conflict,
            "A field cannot be changed in place: use another name, or a new index.",
        )
    if settings.outdated:
        yield Finding(
            "problem",
            f"The mapping of {', '.join(settings.outdated)} lacks what this version adds.",
            f"Run `es-simhash install {index}`; it only adds.",
        )
    if settings.unrefreshed:
        yield Finding(
            "hint",
            f"{', '.join(settings.unrefreshed)} is never refreshed by itself: what was written "
            "since is not found.",
            "Set index.refresh_interval, or refresh after writing.",
        )
    if settings.segments is not None and settings.segments > _MANY_SEGMENTS:
        yield Finding(
            "hint",
            f"A shard has {settings.segments} segments; each search reads all of them.",
            "When the index is no longer written to, merge them: `POST "
            f"{index}/_forcemerge?max_num_segments=1`.",
        )
