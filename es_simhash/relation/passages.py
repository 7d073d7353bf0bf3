"""Passages that two texts share, as evidence, with offsets in both originals."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from es_simhash.fingerprints.batches import text_batches
from es_simhash.relation.alignment.align import AlignedPassage, align
from es_simhash.relation.alignment.screening import may_share_passages
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.model import SharedPassage
from es_simhash.relation.thresholds import SCORE_DIGITS
from es_simhash.text.normal_forms import normalise_all
from es_simhash.text.segmentation import segment


def aligned_passages(query: AnalysedText, hit: AnalysedText) -> list[AlignedPassage]:
    """Return the passages of two texts, in the order of the query; none of an empty text."""
    if not query.text or not hit.text:
        return []
    return align(query.sentence_words, hit.sentence_words)


def passages_of_each(
    query: AnalysedText, hits: Sequence[AnalysedText]
) -> list[list[AlignedPassage]]:
    """Return the passages of a query with each of many texts, which are screened together."""
    if not query.text:
        return [[] for _ in hits]
    passages: list[list[AlignedPassage]] = []
    for batch in text_batches(hit.text or "" for hit in hits):
        segmentation = segment(normalise_all(batch), query.analyser.scheme)
        may_share = may_share_passages(query.sentence_words, segmentation)
        for place, hit in enumerate(hits[len(passages) : len(passages) + len(batch)]):
            if may_share[place]:
                hit.set_segmentation(segmentation.of_text(place))
            passages.append(aligned_passages(query, hit) if may_share[place] else [])
    return passages


def shared_passages(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> tuple[SharedPassage, ...]:
    """Return aligned passages with their offsets and words, those that share most first."""
    ordered = sorted(passages, key=lambda passage: passage.rank_by_weight)
    return tuple(_shown(query, hit, passage) for passage in ordered)


def _shown(query: AnalysedText, hit: AnalysedText, passage: AlignedPassage) -> SharedPassage:
    at, agreement = passage.at, passage.agreement
    return SharedPassage(
        query.span(at.query_start, at.query_end),
        hit.span(at.hit_start, at.hit_end),
        agreement.kind,
        round(agreement.score, SCORE_DIGITS),
        round(1 - agreement.kept, SCORE_DIGITS),
    )


def marked_words(
    passage: SharedPassage,
) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Return the words of both sides, each with whether the other has it in the same order."""
    query, hit = passage.query.text.split(), passage.hit.text.split()
    matcher = SequenceMatcher(
        None, [word.casefold() for word in query], [word.casefold() for word in hit]
    )
    blocks = matcher.get_matching_blocks()
    in_query = {block.a + offset for block in blocks for offset in range(block.size)}
    in_hit = {block.b + offset for block in blocks for offset in range(block.size)}
    return (
        [(word, place in in_query) for place, word in enumerate(query)],
        [(word, place in in_hit) for place, word in enumerate(hit)],
    )
