"""The distribution of scores in a sample of documents, and the pairs next to where versions begin.

The sample is drawn at random by a seed.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from es_simhash.errors import OF_ONE_DOCUMENT
from es_simhash.maintenance.reports.index_report import (
    ClosePair,
    ReportedDocument,
    ReportOptions,
    ScoredPair,
    ScoreSample,
)
from es_simhash.questions.document_contexts import Contexts
from es_simhash.questions.protocol import RelatedIndex
from es_simhash.relation.answer import Answer
from es_simhash.relation.relation import DocumentContext, Relation
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import DocumentsById, Find, Parts, Where
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Progress, Steps, ask

_SEED = 17
_RELATIONS = 20
# Documents that are queried with one request.
_BATCH = 20
# After so many seconds, no further batch is queried.
_SECONDS = 60.0
# Pairs that are shown on either side of where versions begin.
_CLOSEST = 2


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


def explained_pairs(
    index: RelatedIndex, sample: ScoreSample, threshold: float
) -> list[tuple[ScoredPair, Relation]]:
    """Return the pairs of a sample next to where versions begin, with what speaks for and against.

    Args:
        index: What explains them.
        sample: The sample.
        threshold: Where versions begin.
    """
    shared = [pair for pair in sample.pairs if pair.kind not in ("exact", "semantic")]
    above = [pair for pair in shared if pair.score >= threshold][-_CLOSEST:]
    below = [pair for pair in shared if pair.score < threshold][:_CLOSEST]
    explained = []
    for pair in [*above, *below]:
        try:
            relation = index.explain(pair.a, pair.b)
        except OF_ONE_DOCUMENT:
            # One of them changed or vanished since it was drawn, or shares its id behind an alias.
            continue
        if relation.log_odds:
            explained.append((pair, relation))
    return explained


def close_pairs(
    explained: Iterable[tuple[ScoredPair, Relation]], contexts: Contexts
) -> Steps[tuple[ClosePair, ...]]:
    """Return pairs with what the index says of their documents; without those that vanished."""
    pairs = list(explained)
    ids = tuple(sorted({id for pair, _ in pairs for id in (pair.a, pair.b)}))
    if not ids:
        return ()
    rows = yield from ask(DocumentsById(ids, Parts()))
    keys = {row.id: row.key for row in rows if row.found}
    yield from contexts.read(keys.values())

    def reported(id: str) -> ReportedDocument:
        context = contexts.context(keys[id]) or DocumentContext()
        return ReportedDocument(id, str(keys[id][0]), context)

    return tuple(
        ClosePair(
            *(reported(pair.a), reported(pair.b)),
            relation.kind,
            relation.score,
            relation.log_odds or {},
        )
        for pair, relation in pairs
        if pair.a in keys and pair.b in keys
    )


def _answers(
    index: RelatedIndex, ids: Sequence[str], search: SearchOptions
) -> Mapping[str, Answer]:
    try:
        return index.related_to_each(ids, options=search)
    except OF_ONE_DOCUMENT:
        # As above, or one has no text any more.
        if len(ids) == 1:
            return {}
    return {key: value for id in ids for key, value in _answers(index, [id], search).items()}
