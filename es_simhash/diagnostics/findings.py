"""What measurements mean, and what to do about it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from es_simhash.diagnostics.distances import Bits
from es_simhash.diagnostics.probes import HotBlock, Recall, Visited
from es_simhash.diagnostics.sample import MISSING, STALE, UNREADABLE
from es_simhash.diagnostics.settings import Standing
from es_simhash.diagnostics.status import Coverage, Status

# Shares of the documents from which empty texts are worth a word, and are a fault.
_SOME_EMPTY, _MANY_EMPTY = 0.01, 0.2
# A block is hot when so large a share of at least so many documents has it, many times as many as
# by chance.
_HOT_SHARE, _HOT_LEAST, _HOT_TIMES = 0.05, 20, 10
# Documents a search may look at before it is felt.
MANY_VISITED = 50_000
_MANY_SEGMENTS = 30
_UNEVEN = 0.25


@dataclass(frozen=True)
class Finding:
    """Something that was found.

    Attributes:
        level: `problem` for what must be done, `hint` for what may be.
        found: One sentence.
        advice: What to do.
    """

    level: Literal["problem", "hint"]
    found: str
    advice: str


def of_status(status: Status, backfill: str) -> Iterator[Finding]:
    """Yield findings on what the documents have.

    Args:
        status: What they have.
        backfill: The command that makes it complete.
    """
    yield from _of_others(status.fingerprints, "fingerprints", backfill)
    if status.semantics is None:
        yield Finding(
            "hint",
            "The index finds versions alone, no semantic neighbours.",
            f"If you want them: `es-simhash install {status.index}`, then `{backfill}`.",
        )
    else:
        yield from _of_others(status.semantics, "semantic profiles", backfill)
        lacking = status.fingerprints.current - status.semantics.current - status.semantics.another
        if lacking > 0:
            yield Finding(
                "problem",
                f"{lacking} documents have fingerprints, but not what finds their neighbours.",
                f"Run `{backfill}`.",
            )
    if status.failed:
        yield Finding(
            "problem",
            f"The ingest pipeline could not fingerprint {status.failed} documents.",
            f"Their member `error` says why; `{backfill}` tries them again.",
        )
    yield from _of_empty(status)


def _of_others(coverage: Coverage, what: str, backfill: str) -> Iterator[Finding]:
    if coverage.another:
        yield Finding(
            "problem",
            f"{coverage.another} documents have {what} of another scheme, which are compared with "
            "none of the others.",
            f"Run `{backfill}`.",
        )


def _of_empty(status: Status) -> Iterator[Finding]:
    known = status.fingerprints.current + status.fingerprints.another
    share = status.empty / known if known else 0.0
    if share >= _SOME_EMPTY:
        yield Finding(
            "problem" if share >= _MANY_EMPTY else "hint",
            f"{status.empty} texts ({share:.0%}) have no word, so that nothing is related to them.",
            "See whether --field names the field of the text; if it does, leave them.",
        )


def of_texts(
    states: Mapping[str, int], without: Mapping[str, int], backfill: str
) -> Iterator[Finding]:
    """Yield findings on the texts of a sample.

    Args:
        states: Documents with fingerprints by the state of their text.
        without: Documents without fingerprints in the same way.
        backfill: The command that makes the index complete.
    """
    if stale := states.get(STALE, 0) + states.get(MISSING, 0):
        yield Finding(
            "problem",
            f"{stale} of {sum(states.values())} sampled documents have another text than the one "
            "that was fingerprinted, or none in this field.",
            f"Run `{backfill} --check`, with --field if the text is elsewhere.",
        )
    if lacking := without.get(STALE, 0):
        yield Finding(
            "problem",
            f"{lacking} sampled documents have a text, but no fingerprints.",
            f"Run `{backfill}`.",
        )
    if unreadable := states.get(UNREADABLE, 0) + without.get(UNREADABLE, 0):
        yield Finding(
            "hint",
            f"{unreadable} sampled documents have something else than text in the field.",
            "Name another field with --field, or leave them without fingerprints.",
        )


def of_bits(bits: Bits) -> Iterator[Finding]:
    """Yield findings on the bits of the fingerprints."""
    if bits.dead:
        yield Finding(
            "problem",
            f"{len(bits.dead)} bits are the same in {bits.different} different fingerprints, so "
            "that they tell nothing.",
            "Run `es-simhash selftest`; if it passes, other code wrote the fingerprints: clear "
            "them and run `es-simhash backfill`.",
        )
    elif bits.uneven > _UNEVEN:
        yield Finding(
            "hint",
            f"{bits.uneven:.0%} of the bits are alike in four of five fingerprints: the texts are "
            "very short, or have much in common.",
            "Leave what all of them share, such as a template, out of the field of the text.",
        )


def of_blocks(
    hot: Sequence[HotBlock], visited: Visited, suggested: Visited, documents: int
) -> Iterator[Finding]:
    """Yield findings on blocks that many documents have, and on what searches cost."""
    for each in hot:
        share = each.documents / max(documents, 1)
        is_many = each.documents >= max(_HOT_LEAST, _HOT_TIMES * each.by_chance)
        if is_many and share >= _HOT_SHARE:
            whose = "copies of one" if each.texts == 1 else f"{each.texts} different ones"
            yield Finding(
                "hint",
                f"Block {each.term} is in {each.documents} documents ({share:.0%}), by chance it "
                f"would be in {each.by_chance:.1f}; in the sample the texts are {whose}.",
                "Leave a template that many texts share out of the field of the text; copies cost "
                "nothing but time, and `es-simhash families` makes one family of them.",
            )
    if visited.nine_of_ten > MANY_VISITED:
        yield Finding(
            "problem",
            f"One search in ten looks at {visited.nine_of_ten} documents or more.",
            f"Ask with --k {suggested.k}, for which it is {suggested.nine_of_ten}; or leave what "
            "many texts share out of the field of the text.",
        )


def of_recall(recall: Recall) -> Iterator[Finding]:
    """Yield findings on what searches by blocks miss."""
    if recall.found < recall.within:
        yield Finding(
            "problem",
            f"Searches by blocks miss {recall.within - recall.found} of {recall.within} documents "
            f"within {recall.k} bits, {', '.join(recall.missed)} among them: their blocks are not "
            "those of their fingerprints.",
            "Write these documents again with `es-simhash ingest`; other code has changed them.",
        )


def of_standing(standing: Standing, index: str) -> Iterator[Finding]:
    """Yield findings on mapping and settings."""
    if standing.conflict:
        yield Finding(
            "problem",
            standing.conflict,
            "A field cannot be changed in place: use another name, or a new index.",
        )
    if standing.outdated:
        yield Finding(
            "problem",
            f"The mapping of {', '.join(standing.outdated)} lacks what this version adds.",
            f"Run `es-simhash install {index}`; it only adds.",
        )
    if standing.unrefreshed:
        yield Finding(
            "hint",
            f"{', '.join(standing.unrefreshed)} is never refreshed by itself: what was written "
            "since is not found.",
            "Set index.refresh_interval, or refresh after writing.",
        )
    if standing.segments is not None and standing.segments > _MANY_SEGMENTS:
        yield Finding(
            "hint",
            f"A shard has {standing.segments} segments; each search looks into all of them.",
            "When the index is no longer written to, merge them: `POST "
            f"{index}/_forcemerge?max_num_segments=1`.",
        )
