"""Why two documents are related, in one phrase for readers."""

from es_simhash.relation.model import Relation

# Names and terms of a phrase, and characters of a passage.
_MAX_TERMS, _MAX_CHARACTERS = 3, 80


def reason(relation: Relation) -> str:
    """Return why a relation is one, in one English phrase about the hit.

    With evidence it quotes the passage that shares most, or names what both texts mention; without,
    it gives the shares of the texts alone.

    >>> from es_simhash import compare
    >>> reason(compare("The harbour opens at six.", "the  HARBOUR opens at six."))
    'the same text'
    """
    coverage = relation.coverage
    if relation.kind == "exact":
        return "the same text"
    if relation.kind == "version":
        return f"has {coverage.of_query:.0%} of this text; {coverage.of_hit:.0%} of it is from here"
    if relation.kind == "contains":
        return f"{coverage.of_hit:.0%} of it appears in this text"
    if relation.kind == "excerpt_of":
        return f"{coverage.of_query:.0%} of this text appears in it"
    if relation.kind == "shares_passages":
        return _shared_passage(relation)
    if relation.kind == "semantic":
        return _shared_subjects(relation)
    return "not related"


def _shared_passage(relation: Relation) -> str:
    how = "" if relation.reuse is None else f", {relation.reuse.kind}"
    if not relation.evidence:
        return f"shares passages with {relation.coverage.of_query:.0%} of this text{how}"
    text = " ".join(relation.evidence[0].hit.text.split())
    if len(text) > _MAX_CHARACTERS:
        text = f"{text[:_MAX_CHARACTERS].rsplit(' ', 1)[0]} …"
    return f"shares a passage{how}: “{text}”"


def _shared_subjects(relation: Relation) -> str:
    shared = () if relation.semantics is None else relation.semantics.shared
    terms = [term.text for term in shared[:_MAX_TERMS]]
    return f"both mention {', '.join(terms)}" if terms else "about the same subject"
