"""Whether the relation of two texts is the same wherever it is asked."""

from collections.abc import Mapping

from es_simhash.questions.memory import MemoryIndex
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.relation import Coverage, Kind, Relation
from es_simhash.relation.scoring import compare_fingerprints, version_score
from es_simhash.relation.thresholds import SHARED_SCORE, VERSION_SCORE
from es_simhash.store.options import SearchOptions
from tests.support.datasets import Pair

_MIRRORED: dict[Kind, Kind] = {"contains": "excerpt_of", "excerpt_of": "contains"}
# Questions put to the index in memory, which compares each with every text.
_MOST_QUESTIONS = 150

# What `related` says of a document (the first id), about another.
Answers = Mapping[Pair, Relation]


def report_differences(texts: Mapping[str, str], answers: Answers) -> int:
    """Print and return how many of the relations that an index gave are otherwise elsewhere."""
    analysed = dict(zip(texts, TextAnalyser().analyse(list(texts.values())), strict=True))
    counts = {
        "compare": sum(
            _shown(compare_fingerprints(analysed[one], analysed[other])) != _shown(relation)
            for (one, other), relation in answers.items()
        ),
        "the other side": sum(
            _mirrored(answers[other, one]) != _shown(relation)
            for (one, other), relation in answers.items()
            if (other, one) in answers
        ),
        "families": sum(
            version_score(analysed[one], analysed[other], VERSION_SCORE) != _version_part(relation)
            for (one, other), relation in answers.items()
        ),
        "memory": _differences_in_memory(texts, answers),
    }
    print(
        f"  {len(answers)} relations from the index, otherwise said by "
        + ", ".join(f"{name}: {count}" for name, count in counts.items())
    )
    return sum(counts.values())


def _differences_in_memory(texts: Mapping[str, str], answers: Answers) -> int:
    index = MemoryIndex()
    for id, text in texts.items():
        index.add(id, text)
    options = SearchOptions(size=10_000, min_score=SHARED_SCORE, evidence=False, passages=False)
    differing = 0
    for id in sorted(texts)[:: max(1, len(texts) // _MOST_QUESTIONS)]:
        found = {relation.id: relation for relation in index.related(id=id, options=options)}
        differing += sum(
            other not in found or _shown(found[other]) != _shown(relation)
            for (one, other), relation in answers.items()
            if one == id
        )
    return differing


def _shown(relation: Relation) -> tuple[Kind, float, Coverage]:
    return relation.kind, relation.score, relation.coverage


def _mirrored(relation: Relation) -> tuple[Kind, float, Coverage]:
    kind = _MIRRORED.get(relation.kind, relation.kind)
    coverage = Coverage(relation.coverage.of_hit, relation.coverage.of_query)
    return kind, relation.score, coverage


def _version_part(relation: Relation) -> float:
    return relation.score if relation.score >= VERSION_SCORE else 0.0
