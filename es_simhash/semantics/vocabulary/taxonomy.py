"""SKOS taxonomies: Turtle, RDF/XML and JSON-LD as a vocabulary.

Read are the preferred, alternative and hidden labels with their languages, and broader and
narrower, whichever of the two a file has.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from es_simhash.errors import InputError
from es_simhash.semantics.vocabulary.cycles import cycles, tell_cycle
from es_simhash.semantics.vocabulary.labels import (
    LONGEST_LABEL,
    clean_label,
    primary_language,
    shown,
)
from es_simhash.semantics.vocabulary.rdf import Statement, read_statements
from es_simhash.semantics.vocabulary.vocabulary import DECAY, LANGUAGE, LEVELS, Concept, Vocabulary

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_NO_CONCEPTS = {_SKOS + kind for kind in ("ConceptScheme", "Collection", "OrderedCollection")}

_Tagged = dict[str, list[str]]


@dataclass
class _Draft:
    """A concept as it is put together: labels by their full language tags."""

    preferred: _Tagged = field(default_factory=lambda: defaultdict(list))
    others: _Tagged = field(default_factory=lambda: defaultdict(list))
    broader: list[str] = field(default_factory=list)


def read_taxonomy(
    path: str | Path, language: str = LANGUAGE, *, decay: float = DECAY, levels: int = LEVELS
) -> Vocabulary:
    """Return the concepts of a SKOS file; what is strange in it is in `problems`.

    Nothing outside the file is opened. Parsing takes about a second for 10,000 statements; keep
    `Vocabulary.to_json` of it.

    Args:
        path: Turtle, RDF/XML or JSON-LD, told by the suffix or else by the content.
        language: Language wanted: of texts whose own is unknown, and for what is shown of them.
        decay: What a broader concept gets of a narrower one's weight, for each level.
        levels: How many levels up concepts count.

    Raises:
        MissingExtra: rdflib is not installed.
        InputError: The file cannot be read, or has no SKOS concept with a label.
    """
    path = Path(path)
    problems: list[str] = []
    drafts = _drafts(read_statements(path), problems)
    if not any(draft.preferred or draft.others for draft in drafts.values()):
        raise InputError(
            f"{path} has no SKOS concept with a label: export the taxonomy as SKOS "
            "with skos:prefLabel."
        )
    concepts = {id: _concept(id, draft, problems) for id, draft in sorted(drafts.items())}
    problems += map(tell_cycle, cycles({id: each.broader for id, each in concepts.items()}))
    wanted = primary_language(language)
    problems += _language_problems(concepts, wanted)
    return Vocabulary(concepts, wanted, decay, levels, tuple(problems))


def _drafts(statements: Iterable[Statement], problems: list[str]) -> dict[str, _Draft]:
    """Concepts with their labels and links: what is of that type, or has a preferred label."""
    by_predicate: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        by_predicate[statement.predicate].append(statement)
    types = by_predicate[_TYPE]
    ids = {each.subject for each in types if each.value == _SKOS + "Concept"}
    ids |= {each.subject for each in by_predicate[_SKOS + "prefLabel"]}
    ids -= {each.subject for each in types if each.value in _NO_CONCEPTS}
    drafts = {id: _Draft() for id in ids}
    for kind in ("prefLabel", "altLabel", "hiddenLabel"):
        for statement in by_predicate[_SKOS + kind]:
            if draft := drafts.get(statement.subject):
                tagged = draft.preferred if kind == "prefLabel" else draft.others
                _add_label(tagged, statement, problems)
    links = {(each.subject, each.value) for each in by_predicate[_SKOS + "broader"]}
    links |= {(each.value, each.subject) for each in by_predicate[_SKOS + "narrower"]}
    _add_links(drafts, sorted(links), problems)
    return drafts


def _add_label(tagged: _Tagged, statement: Statement, problems: list[str]) -> None:
    label = clean_label(statement.value)
    concept = f"Concept {shown(statement.subject)}"
    if not label:
        problems.append(f"{concept} has an empty label, which is left out.")
    elif len(label) > LONGEST_LABEL:
        problems.append(
            f"{concept} has a label of {len(label)} characters, {shown(label)}, "
            f"more than {LONGEST_LABEL}, which is left out."
        )
    else:
        tagged[statement.language.lower()].append(label)


def _add_links(
    drafts: Mapping[str, _Draft], links: Iterable[tuple[str, str]], problems: list[str]
) -> None:
    """Enter the concept above each; links to what the file does not describe are left out."""
    for low, high in links:
        unknown = [each for each in (low, high) if each not in drafts]
        if unknown:
            problems.append(
                f"The link between {shown(low)} and {shown(high)} is left out, "
                f"since {shown(unknown[0])} is no concept of the file."
            )
        elif low == high:
            problems.append(f"Concept {shown(low)} is broader than itself: the link is left out.")
        else:
            drafts[low].broader.append(high)


def _concept(id: str, draft: _Draft, problems: list[str]) -> Concept:
    preferred: dict[str, str] = {}
    labels: dict[str, dict[str, None]] = {}
    # In order, so that the label for en comes before that for en-GB.
    for tag, some in sorted(draft.preferred.items()):
        first, *rest = sorted(set(some))
        if rest:
            problems.append(
                f"Concept {shown(id)} has {len(rest) + 1} preferred labels in "
                f"{tag or 'no language'}: {shown(first)} is shown, all are looked for."
            )
        preferred.setdefault(primary_language(tag), first)
        labels.setdefault(primary_language(tag), {}).update(dict.fromkeys([first, *rest]))
    for tag, some in sorted(draft.others.items()):
        labels.setdefault(primary_language(tag), {}).update(dict.fromkeys(sorted(some)))
    if not labels:
        problems.append(f"Concept {shown(id)} has no label: it is shown by its name.")
    return Concept(
        id, preferred, {tag: tuple(some) for tag, some in labels.items()}, tuple(draft.broader)
    )


def _language_problems(concepts: Mapping[str, Concept], wanted: str) -> Iterator[str]:
    """Say which concepts have no label in a language, where there is one in others."""
    labelled = [each for each in concepts.values() if each.labels]
    others = [each for each in labelled if each.labels.keys().isdisjoint({wanted, ""})]
    if len(others) == len(labelled):
        tags = sorted({tag for each in others for tag in each.labels})
        yield f"No concept has a label in {wanted}: those in {', '.join(tags)} are used."
        return
    vocabulary = Vocabulary(concepts, wanted)
    for each in others:
        label = shown(vocabulary.label(each.id))
        yield f"Concept {shown(each.id)} has no label in {wanted}: {label} of another is used."
