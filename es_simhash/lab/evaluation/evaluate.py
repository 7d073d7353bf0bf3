"""Methods by their names, measured on labelled pairs and the texts of their documents."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from es_simhash.errors import InputError
from es_simhash.lab.evaluation.evaluation_figures import (
    Costs,
    LabelledSet,
    MethodFigures,
    ScoredSet,
    SetEvaluation,
    WrongPair,
)
from es_simhash.lab.evaluation.held_out_cuts import (
    GROUPS,
    cross_fitted_cuts,
    intervals,
    left_out_cut,
    weighted_mean,
)
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs
from es_simhash.lab.evaluation.pair_measures import (
    Counts,
    DocumentPairs,
    Floats,
    Labels,
    adjusted_rand_index,
    component_numbers,
)
from es_simhash.lab.evaluation.pair_texts import known_pairs, shared_documents
from es_simhash.lab.methods.method_protocol import Features, Method
from es_simhash.lab.methods.method_registry import method_named
from es_simhash.lab.methods.project_method import DEFAULT_METHOD
from es_simhash.relation.text_comparison import compare
from es_simhash.store.indexed_methods import NO_WORDS
from es_simhash.store.protocol import Progress, no_progress

# Passages of a pair that are kept, and characters of a passage.
_PASSAGES, _CHARACTERS = 3, 300


def wrong_pairs(
    labelled: LabelledSet, figures: Sequence[MethodFigures], most: int
) -> tuple[tuple[WrongPair, ...], int]:
    """Return the pairs that the first method gets wrong, and how many there are.

    The worst come first: those whose score is farthest on the wrong side of the cut.

    Args:
        labelled: The set.
        figures: Figures of the methods on it.
        most: How many pairs to return.
    """
    first = figures[0]
    scores = first.scored.scores
    wrong = np.flatnonzero((scores >= first.cuts) != labelled.pairs.labels)
    order = np.argsort(-np.abs(scores - first.cuts)[wrong], kind="stable")
    shown = wrong[order[:most]].tolist()
    return tuple(_wrong_pair(labelled, figures, place) for place in shown), len(wrong)


def _wrong_pair(labelled: LabelledSet, figures: Sequence[MethodFigures], place: int) -> WrongPair:
    pairs, method = labelled.pairs, figures[0]
    first, second = int(pairs.first[place]), int(pairs.second[place])
    relation = compare(labelled.texts[first], labelled.texts[second], semantics=None)
    return WrongPair(
        labelled.ids[first],
        labelled.ids[second],
        bool(pairs.labels[place]),
        float(method.scored.scores[place]),
        float(method.cuts[place]),
        bool(method.scored.is_candidate[place]),
        relation.kind,
        tuple(
            (passage.query.text[:_CHARACTERS], passage.hit.text[:_CHARACTERS])
            for passage in relation.evidence[:_PASSAGES]
        ),
        {
            figures_of_method.name: float(figures_of_method.scored.scores[place])
            for figures_of_method in figures[1:]
        },
    )


_CROSS_FITTED = (
    f"Cuts were cross-fitted: families were dealt into {GROUPS} groups of documents, and the cut "
    "of a pair was chosen on the pairs without a document of its groups."
)
_LEFT_OUT = (
    "The cut of this set was chosen on the other files of pairs: that of their highest mean F1."
)


def labelled_set(pairs: LabelledPairs, texts: Mapping[str, str]) -> LabelledSet:
    """Return labelled pairs with the texts of their documents.

    Args:
        pairs: Pairs of documents that have texts.
        texts: Texts by the ids of documents.
    """
    ids = tuple(sorted({id for pair in pairs.labels for id in pair}))
    numbers = {id: number for number, id in enumerate(ids)}
    rows = np.array([[numbers[one], numbers[other]] for one, other in pairs.labels], np.int64)
    labels = np.fromiter(pairs.labels.values(), bool)
    document_pairs = DocumentPairs(rows[:, 0], rows[:, 1], labels, len(ids))
    return LabelledSet(pairs.name, ids, tuple(texts[id] for id in ids), document_pairs)


def evaluate_sets(
    sets: Sequence[LabelledSet],
    methods: Sequence[Method],
    *,
    wrong: int = 10,
    progress: Progress = no_progress,
) -> list[SetEvaluation]:
    """Return the figures of each method on each set, at cuts that were not chosen on it.

    Args:
        sets: Labelled pairs. Of several sets, the cuts of each are chosen on the others.
        methods: The methods; the wrong pairs are those of the first.
        wrong: How many wrong pairs of a set to return.
        progress: Called before each method, with its name and how many are done.
    """
    scored = []
    for number, method in enumerate(methods):
        progress(f"methods, {method.name}", number, len(methods))
        scored.append([score_set(method, labelled) for labelled in sets])
    return [_evaluation(number, sets, methods, scored, wrong=wrong) for number in range(len(sets))]


def score_set(method: Method, labelled: LabelledSet) -> ScoredSet:
    """Return the labelled pairs as a method scores and finds them, and what that takes."""
    started = time.perf_counter()
    features = method.read(labelled.texts)
    read = time.perf_counter()
    pairs = labelled.pairs
    scores = features.score(pairs.first, pairs.second)
    done = time.perf_counter()
    costs = Costs(read - started, done - read, features.nbytes / len(labelled.texts))
    unreadable = {
        labelled.ids[number]: reason
        for number, reason in features.unreadable.items()
        if reason != NO_WORDS
    }
    return ScoredSet(scores, _are_candidates(features, pairs), unreadable, costs)


def _are_candidates(features: Features, pairs: DocumentPairs) -> Labels:
    candidates = features.candidates()
    low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    return np.isin(low << 32 | high, candidates[:, 0] << 32 | candidates[:, 1])


def _evaluation(
    number: int,
    sets: Sequence[LabelledSet],
    methods: Sequence[Method],
    scored: Sequence[Sequence[ScoredSet]],
    *,
    wrong: int,
) -> SetEvaluation:
    labelled = sets[number]
    figures = tuple(
        _figures(method, labelled, of_method[number], _cuts(number, sets, of_method, method))
        for method, of_method in zip(methods, scored, strict=True)
    )
    shown, total = wrong_pairs(labelled, figures, wrong)
    rule = _LEFT_OUT if len(sets) > 1 else _CROSS_FITTED
    return SetEvaluation(labelled, figures, shown, total, rule)


def _cuts(
    number: int, sets: Sequence[LabelledSet], scored: Sequence[ScoredSet], method: Method
) -> Floats:
    """Return the cut of each pair of a set, chosen elsewhere."""
    labelled = sets[number]
    if len(sets) == 1:
        return cross_fitted_cuts(labelled.pairs, scored[number].scores, method.threshold)
    curves = [
        other.curve(each.pairs.labels)
        for place, (each, other) in enumerate(zip(sets, scored, strict=True))
        if place != number
    ]
    return np.full(len(scored[number].scores), left_out_cut(curves))


def _figures(
    method: Method, labelled: LabelledSet, scored: ScoredSet, cuts: Floats
) -> MethodFigures:
    pairs = labelled.pairs
    curve = scored.curve(pairs.labels)
    called = scored.scores >= cuts
    held_out = {
        **_at_cut(pairs, called),
        "roc_area": curve.roc_area(),
        "average_precision": curve.average_precision(),
        "r_precision": _mean(pairs.r_precisions(scored.scores)),
    }
    versions = max(1, labelled.versions)
    found_counts = Counts.of(called & scored.is_candidate, pairs.labels)
    return MethodFigures(
        method.name,
        method.note,
        method.threshold,
        cuts,
        scored,
        held_out,
        _at_cut(pairs, scored.scores >= method.threshold),
        intervals(pairs, scored.scores, called),
        curve.roc_cut(),
        float((scored.is_candidate & pairs.labels).sum() / versions),
        found_counts.recall,
        found_counts.f1,
    )


def _at_cut(pairs: DocumentPairs, called: Labels) -> dict[str, float]:
    counts = Counts.of(called, pairs.labels)
    families = component_numbers(pairs.first[called], pairs.second[called], pairs.documents)
    return {
        "f1": counts.f1,
        "precision": counts.precision,
        "recall": counts.recall,
        "document_precision": _mean(pairs.precisions(called)),
        "document_recall": _mean(pairs.recalls(called)),
        "ari": adjusted_rand_index(pairs.families, families),
    }


def _mean(values: Floats) -> float:
    return weighted_mean(values, np.ones(len(values)))


@dataclass(frozen=True)
class Evaluation:
    """Methods measured on one or several sets of labelled pairs.

    Attributes:
        sets: Figures of every method, for each set.
        problems: One sentence for each line or pair that was left out.
    """

    sets: tuple[SetEvaluation, ...]
    problems: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as it is printed in JSON, with `problems`."""
        return {
            "sets": [evaluation.to_dict() for evaluation in self.sets],
            "problems": list(self.problems),
        }


def evaluate(
    pairs: LabelledPairs | Sequence[LabelledPairs],
    texts: Mapping[str, str],
    *,
    methods: Sequence[str] = (DEFAULT_METHOD,),
    wrong: int = 10,
) -> Evaluation:
    """Return how well methods separate versions from other pairs; needs no cluster.

    Cuts are never chosen on the pairs they are applied to: with one set they are cross-fitted by
    families of documents, with several each set gets the cut of the others.

    Args:
        pairs: Labelled pairs, of `read_pairs` or `LabelledPairs.of`; several sets may share no
            pair.
        texts: Texts by the ids of documents. Pairs of which one has no text are left out.
        methods: Names of `method_names()`; the wrong pairs are those of the first.
        wrong: Maximum number of wrong pairs of each set to return.

    Raises:
        InputError: There is no such method, no set of pairs, or a set without pairs of both labels.
        MissingExtra: A method needs a package that is not installed.
    """
    given = [pairs] if isinstance(pairs, LabelledPairs) else list(pairs)
    if not given:
        raise InputError("pairs must have at least one set of labelled pairs.", parameter="pairs")
    chosen = [method_named(name) for name in dict.fromkeys(methods)]
    if not chosen:
        raise InputError("methods must name at least one method.", parameter="methods")
    known = [known_pairs(labelled_pairs, texts.__contains__, "texts") for labelled_pairs in given]
    problems = [problem for labelled_pairs in known for problem in labelled_pairs.problems]
    shared = shared_documents(known)
    sets = evaluate_sets(
        [labelled_set(labelled_pairs, texts) for labelled_pairs in known], chosen, wrong=wrong
    )
    return Evaluation(tuple(sets), (*problems, *shared))
