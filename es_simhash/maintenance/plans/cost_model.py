"""What an index of so many documents costs, computed from figures of a sample and constants.

Each constant says where it was measured; `es-simhash plan` prints them, docs/plan.md explains them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from es_simhash.constraints import constraints
from es_simhash.described import require_valid
from es_simhash.fingerprints.blocks import block_sizes
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.text.counting import counted

# What is stored of each document: the text alone, with fingerprints, and with semantic features.
TEXT, VERSIONS, EVERYTHING = "text", "versions", "everything"
CHOICES = (VERSIONS, EVERYTHING)

_DAY, _MIB = 86_400, 1 << 20


class Constant(NamedTuple):
    """A number of the model that no sample says, and where it comes from."""

    value: float
    source: str


CONSTANTS: Mapping[str, Constant] = {
    "shard_bytes": Constant(40e9, "Elastic advises shards of 10 to 50 GB"),
    "shard_documents": Constant(200e6, "Elastic advises at most 200 million documents a shard"),
    "hot_share_versions": Constant(0.46, "0.6 of 1.3 KB are outside of _source (docs/backfill.md)"),
    "hot_share_everything": Constant(
        0.65, "1.5 of 2.3 KB are outside of _source (docs/backfill.md)"
    ),
    "text_bytes": Constant(0.78, "bytes on disk for one of a document's JSON (make bench-fields)"),
    "object_bytes_versions": Constant(
        1.2, "bytes on disk for one of the object's JSON (make bench-fields)"
    ),
    "object_bytes_everything": Constant(
        1.0, "the same, with semantic features (make bench-fields)"
    ),
    "engine_characters": Constant(2_200, "characters of the texts of the three next figures"),
    "engine_text": Constant(0.13e-3, "seconds of the node to write a text alone (bench-fields)"),
    "engine_versions": Constant(0.25e-3, "the same, with fingerprints (bench-fields)"),
    "engine_everything": Constant(0.63e-3, "the same, with semantic features (bench-fields)"),
    "loaded_over_merged": Constant(
        1.2, "bytes of an index as it is loaded, beside one segment (make bench-plan)"
    ),
    "update_over_write": Constant(
        1.1, "time of the cluster for a partial update, beside a write (make bench-plan)"
    ),
    "families_base_seconds": Constant(
        0.8e-3, "time for a document without candidates (make bench-family-run, docs/families.md)"
    ),
    "families_candidate_seconds": Constant(
        0.0006e-3, "time for each candidate, 760 of a document (make bench-family-run)"
    ),
    "families_base_bytes": Constant(
        100 * _MIB, "memory of a run beside --memory (docs/families.md)"
    ),
    "families_bytes": Constant(70, "of its memory for each text (docs/families.md)"),
    "families_file_bytes": Constant(1_500, "of its files for each document (docs/families.md)"),
    "sample_least": Constant(1_000, "documents of which a sample says what others share"),
    "candidates_most": Constant(2_000, "candidates that families and questions look at"),
    "flat_documents": Constant(1e3, "documents of a shard up to which questions do not grow"),
    "versions_growth": Constant(
        0.17, "exponent: 6.3 ms at 100,000 documents, 9.4 at a million as loaded (bench-scale)"
    ),
    "everything_growth": Constant(
        0.3, "exponent of questions with neighbours and passages: assumed, not fitted"
    ),
    "unrelated_most": Constant(1_000, "unrelated documents that a search within k bits examines"),
    "patience_seconds": Constant(3 * _DAY, "a backfill that takes longer is not advised"),
    "one_machine_seconds": Constant(_DAY, "a run of families that takes longer goes to Spark"),
}


def constant(name: str) -> float:
    """Return the value of a constant."""
    return CONSTANTS[name].value


@dataclass(frozen=True)
class PlanOptions:
    """What is planned.

    Attributes:
        documents: Documents that the index will have.
        sample: JSON Lines file, folder of texts, or index like the documents to come; None for
            figures of English news.
        processes: Processes that will fingerprint.
    """

    documents: int = field(metadata=constraints(1, 10**12))
    sample: str | None = None
    processes: int = field(default=1, metadata=constraints(1))

    def __post_init__(self) -> None:
        require_valid(self)


@dataclass(frozen=True)
class SampleFigures:
    """What a sample says of a document, on average.

    Attributes:
        source: What the sample is.
        documents: Documents of the sample that have a text.
        without_text: Documents of the sample that cannot be fingerprinted.
        characters: Characters of a text.
        stored: Bytes on disk in one segment, by what is stored.
        client_seconds: Processor time of this program, by what is stored.
        engine_seconds: Time of the cluster to write it, by what is stored.
        shared_pairs: Share of the pairs of documents that share enough shingles to be compared.
        asked: Documents of the index where questions were asked.
        question_ms: Median of a question there, by what it asks for.
    """

    source: str
    documents: int
    without_text: int
    characters: float
    stored: Mapping[str, float]
    client_seconds: Mapping[str, float]
    engine_seconds: Mapping[str, float]
    shared_pairs: float
    asked: int
    question_ms: Mapping[str, float]


@dataclass(frozen=True)
class Costs:
    """What an index costs with one choice of what is stored.

    Attributes:
        disk: Bytes of the index, one copy, without the versions that updates leave for a while.
        growth: How many of these are ours.
        shards: Primary shards.
        search_bytes: Bytes that questions read, to be kept in the memory of the nodes.
        ingest_seconds: Time to write all documents.
        backfill_seconds: Time to add the fields to documents that are there.
        families_seconds: Time of the first run of families.
        families_bytes: Memory of that run, at most.
        families_file_bytes: Bytes of its files on the disk of the client.
        question_ms: Median of a question, one at a time.
    """

    disk: int
    growth: int
    shards: int
    search_bytes: int
    ingest_seconds: float
    backfill_seconds: float
    families_seconds: float
    families_bytes: int
    families_file_bytes: int
    question_ms: float


@dataclass(frozen=True)
class Advice:
    """What to choose, and why."""

    name: str
    value: str
    reason: str


@dataclass(frozen=True)
class Plan:
    """What an index of so many documents costs.

    Attributes:
        documents: Documents of the index.
        processes: Processes that fingerprint.
        sample: What the sample says.
        candidates: Documents that share enough text with a document to be compared.
        costs: By what is stored: `versions` or `everything`.
        advice: What to choose.
    """

    documents: int
    processes: int
    sample: SampleFigures
    candidates: float
    costs: Mapping[str, Costs]
    advice: tuple[Advice, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON has it, with the constants of the model."""
        constants = {name: each._asdict() for name, each in CONSTANTS.items()}
        return {**asdict(self), "constants": constants}


# News of 2.2 KB, where no sample is named: bbc_news of the evaluation data.
REFERENCE = SampleFigures(
    source="English news of 2.2 KB, as no sample was named",
    documents=2_225,
    without_text=0,
    characters=2_200,
    stored={TEXT: 1_730, VERSIONS: 3_350, EVERYTHING: 4_380},
    client_seconds={VERSIONS: 0.16e-3, EVERYTHING: 0.75e-3},
    engine_seconds={
        choice: constant(f"engine_{choice}") for choice in (TEXT, VERSIONS, EVERYTHING)
    },
    shared_pairs=5e-4,
    asked=100_000,
    question_ms={VERSIONS: 6.3, EVERYTHING: 25.2},
)


def plan_for(sample: SampleFigures, documents: int, processes: int) -> Plan:
    """Return what an index of so many documents like those of a sample costs."""
    candidates = sample.shared_pairs * (documents - 1)
    costs = {choice: _costs(sample, documents, processes, choice) for choice in CHOICES}
    advice = (*_advice(documents, costs, candidates), *_sample_advice(sample, documents))
    return Plan(documents, processes, sample, candidates, costs, advice)


def _costs(sample: SampleFigures, documents: int, processes: int, choice: str) -> Costs:
    loaded = documents * constant("loaded_over_merged")
    disk = loaded * sample.stored[choice]
    growth = max(0.0, disk - loaded * sample.stored[TEXT])
    shards = math.ceil(max(disk / constant("shard_bytes"), documents / constant("shard_documents")))
    client = sample.client_seconds[choice] / processes
    engine = sample.engine_seconds[choice]
    compared = min(sample.shared_pairs * (documents - 1), constant("candidates_most"))
    families = constant("families_base_seconds")
    families += compared * constant("families_candidate_seconds")
    memory = constant("families_base_bytes") + FamilyOptions().memory * _MIB
    memory += documents * constant("families_bytes")
    grown = question_growth(documents / shards, choice) / question_growth(sample.asked, choice)
    return Costs(
        disk=round(disk),
        growth=round(growth),
        shards=shards,
        search_bytes=round(growth * constant(f"hot_share_{choice}")),
        ingest_seconds=documents * (client + engine),
        backfill_seconds=documents * (client + engine * constant("update_over_write")),
        families_seconds=documents * families,
        families_bytes=round(memory),
        families_file_bytes=round(documents * constant("families_file_bytes")),
        question_ms=sample.question_ms[choice] * grown,
    )


def question_growth(documents: float, choice: str) -> float:
    """Return how many times as long a question takes in a shard as in a small one."""
    beyond = max(1.0, documents / constant("flat_documents"))
    growth: float = beyond ** constant(f"{choice}_growth")
    return growth


def largest_k(documents: int, scheme: Scheme = DEFAULT) -> int:
    """Return the largest Hamming distance within which few unrelated documents are examined.

    Two fingerprints that have nothing in common share r of b blocks of s bits with a chance of
    (b over r) / 2^(r s).
    """
    size = min(block_sizes(scheme.bits, scheme.blocks))
    for k in range(scheme.max_k, 0, -1):
        shared = scheme.blocks - k
        chance = math.comb(scheme.blocks, shared) / 2.0 ** (shared * size)
        if documents * chance <= constant("unrelated_most"):
            return k
    return 0


def _advice(documents: int, costs: Mapping[str, Costs], candidates: float) -> tuple[Advice, ...]:
    full = costs[EVERYTHING]
    neighbours = full.backfill_seconds <= constant("patience_seconds")
    chosen = full if neighbours else costs[VERSIONS]
    k = largest_k(documents)
    slow = chosen.families_seconds > constant("one_machine_seconds")
    days = constant("patience_seconds") / _DAY
    return (
        Advice(
            "scheme",
            DEFAULT.name,
            f"{DEFAULT.blocks} blocks of {min(block_sizes(DEFAULT.bits, DEFAULT.blocks))} bits; "
            "`es-simhash lab tune` compares others on labelled pairs",
        ),
        Advice(
            "k",
            str(k),
            "the default: it examines few unrelated documents"
            if k == DEFAULT.max_k
            else f"a larger one examines more than {constant('unrelated_most'):,.0f} unrelated "
            f"documents a question; query with --k {k}",
        ),
        Advice(
            "neighbours",
            "yes" if neighbours else "no, --no-semantics",
            f"a backfill with semantic features takes {'at most' if neighbours else 'more than'} "
            f"{days:.0f} days here",
        ),
        Advice(
            "shards",
            str(chosen.shards),
            f"{documents:,} documents and {chosen.disk / 1e9:,.1f} GB, of one copy",
        ),
        Advice(
            "families on",
            "Spark" if slow else "one machine",
            f"a document has {_candidates(candidates)}; "
            f"{chosen.families_seconds / 3600:,.1f} h on one",
        ),
    )


def _sample_advice(sample: SampleFigures, documents: int) -> Iterator[Advice]:
    """Yield what to know of a sample that says little of so many documents."""
    least = min(documents, constant("sample_least"))
    if sample.documents < least:
        yield Advice(
            "sample",
            f"{counted(sample.documents, 'document')}, too few",
            f"candidates, families and questions may be far off; draw {least:,.0f} or more at "
            "random",
        )


def _candidates(count: float) -> str:
    """Return how many candidates a document has, and of too many how many are compared."""
    most = constant("candidates_most")
    number = f"{count:,.0f}" if count >= 10 else f"{count:.2g}"
    compared = f", of which {most:,.0f} are compared" if count > most else ""
    return f"{number} candidates{compared}"
