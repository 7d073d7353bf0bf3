"""The distribution of scores: relations of a sample of documents, drawn at random by a seed."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from es_simhash.errors import ClusterError, EsSimhashError
from es_simhash.maintenance.reports.index_report import (
    ReportOptions,
    ScoredPair,
    ScoreSample,
)
from es_simhash.questions.protocol import RelatedIndex
from es_simhash.relation.answer import Answer
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import Find, Parts, Where
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Progress, Steps, ask

_SEED = 17
_RELATIONS = 20
# Documents that are queried with one request.
_BATCH = 20
# After so many seconds, no further batch is queried.
_SECONDS = 60.0


def score_search(config: IndexConfig, options: ReportOptions) -> SearchOptions:
    """Return how the relations are found: as `related` finds them, without their evidence."""
    search = SearchOptions(size=_RELATIONS, filters=options.filters, evidence=False, context=False)
    return search.configured(config.min_score)


def sampled_ids(where: Where, count: int) -> Steps[list[str]]:
    """Return ids of documents with fingerprints, drawn at random; the same as long as none changes.

    Args:
        where: Conditions that documents must match.
        count: How many.
    """
    drawn = replace(where, fingerprinted=True, has_words=True)
    sample = yield from ask(Find(drawn, Parts(), count, ("random",), seed=_SEED))
    return [row.id for row in sample.rows]


def sample_scores(
    index: RelatedIndex, ids: Sequence[str], search: SearchOptions, progress: Progress
) -> ScoreSample:
    """Return the relations of documents, each pair once.

    Args:
        index: What finds them.
        ids: Of the documents; after a minute, no more of them are queried.
        search: How they are found.
        progress: Called after each batch.
    """
    deadline = time.monotonic() + _SECONDS
    pairs: dict[frozenset[str], ScoredPair] = {}
    queried = related = 0
    for start in range(0, len(ids), _BATCH):
        if time.monotonic() > deadline:
            break
        answers = _answers(index, ids[start : start + _BATCH], search)
        queried += len(answers)
        related += sum(bool(len(answer)) for answer in answers.values())
        for id, answer in answers.items():
            for relation in answer:
                pair = ScoredPair(id, str(relation.id), relation.kind, relation.score)
                pairs.setdefault(frozenset((pair.a, pair.b)), pair)
        progress("relations", queried, len(ids))
    best_first = sorted(pairs.values(), key=lambda pair: (-pair.score, pair.a, pair.b))
    return ScoreSample(queried, related, tuple(best_first))


def _answers(
    index: RelatedIndex, ids: Sequence[str], search: SearchOptions
) -> Mapping[str, Answer]:
    try:
        return index.related_to_each(ids, options=search)
    except ClusterError:
        raise
    except EsSimhashError:
        # One of them changed or vanished since they were drawn, or has no text any more.
        if len(ids) == 1:
            return {}
    return {key: value for id in ids for key, value in _answers(index, [id], search).items()}
