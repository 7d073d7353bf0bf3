"""Methods by their names, measured on labelled pairs and the texts of their documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.errors import InputError
from es_simhash.lab.evaluation.evaluate import evaluate as evaluate_sets
from es_simhash.lab.evaluation.evaluate import labelled_set
from es_simhash.lab.evaluation.known_pairs import known_pairs
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs
from es_simhash.lab.evaluation.model import SetEvaluation
from es_simhash.lab.evaluation.overlap import shared_documents
from es_simhash.lab.methods.registry import DEFAULT_METHOD, method_named


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
            "sets": [each.to_dict() for each in self.sets],
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
    known = [known_pairs(each, texts.__contains__, "texts") for each in given]
    problems = [problem for each in known for problem in each.problems]
    shared = shared_documents(known)
    sets = evaluate_sets([labelled_set(each, texts) for each in known], chosen, wrong=wrong)
    return Evaluation(tuple(sets), (*problems, *shared))
