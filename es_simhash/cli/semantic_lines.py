"""What two texts share in meaning, as lines whose numbers add up."""

from typing import NamedTuple

from rich.text import Text

from es_simhash.semantics.similarity import SemanticSimilarity, SharedConcept
from es_simhash.text.escaping import one_line

# Smaller shares of the similarity would be printed as 0.00.
_MIN_SHARE = 0.005


def semantic_lines(semantics: SemanticSimilarity) -> list[Text]:
    """Return what both texts share, what each term adds to the similarity, and what that scores."""
    lines = [Text(one_line(sentence)) for sentence in semantics.shared_vocabulary]
    parts = shown_parts(semantics)
    for label, entities in (("shared entities: ", True), ("shared terms: ", False)):
        shared = [
            f"{one_line(term.text)} {share:.2f}"
            for term, share in parts.terms
            if term.is_entity is entities
        ]
        if shared:
            lines.append(Text.assemble((label, "dim"), ", ".join(shared)))
    total = [
        f"{name} {share:.2f}"
        for name, share in (
            ("vectors", parts.vector),
            ("shared entities", sum(share for term, share in parts.terms if term.is_entity)),
            ("shared terms", sum(share for term, share in parts.terms if not term.is_entity)),
            ("others", parts.others),
        )
        if share >= _MIN_SHARE
    ]
    line = f"similarity {semantics.similarity:.2f}"
    if total:
        line += f" = {' + '.join(total)}"
    lines.append(Text(f"{line}, which alone scores {semantics.score:.2f}", "dim"))
    return lines


class ShownParts(NamedTuple):
    """The parts of a similarity in hundredths that add up to it, as it is printed.

    Attributes:
        terms: The terms and entities that have a hundredth or more.
        vector: Part of the vectors.
        others: What is left.
    """

    terms: list[tuple[SharedConcept, float]]
    vector: float
    others: float


def shown_parts(semantics: SemanticSimilarity) -> ShownParts:
    """Return the parts of a similarity, rounded so that they add up to what is printed of it.

    Those with the largest remainders are rounded up; what rounds to nothing is among the others.
    """
    terms = [term for term in semantics.shared if term.contribution >= _MIN_SHARE]
    parts = [semantics.vector, *(term.contribution for term in terms)]
    parts.append(max(0.0, semantics.similarity - sum(parts)))
    hundredths = [int(100 * part) for part in parts]
    left = round(100 * semantics.similarity) - sum(hundredths)
    order = sorted(range(len(parts)), key=lambda place: hundredths[place] - 100 * parts[place])
    for place in order[:left]:
        hundredths[place] += 1
    vector, *shares, others = (number / 100 for number in hundredths)
    shown = [(term, share) for term, share in zip(terms, shares, strict=True) if share]
    return ShownParts(shown, vector, others)
