"""SKOS taxonomies: Turtle, RDF/XML and JSON-LD as a vocabulary.

Read are the preferred, alternative and hidden labels with their languages, and broader and
narrower, whichever of the two a file has.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from es_simhash.errors import InputError
from es_simhash.semantics.vocabularies.label_texts import (
    MAX_LABEL_LENGTH,
    clean_label,
    primary_language,
    quoted,
)
from es_simhash.semantics.vocabularies.rdf import Statement, read_statements
from es_simhash.semantics.vocabularies.vocabulary import (
    DEFAULT_DECAY,
    DEFAULT_LANGUAGE,
    DEFAULT_LEVELS,
    Concept,
    Vocabulary,
)

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_NO_CONCEPTS = {_SKOS + kind for kind in ("ConceptScheme", "Collection", "OrderedCollection")}

# A cycle of more concepts is described by its first ones.
_MAX_NAMED = 5

_Tagged = dict[str, list[str]]


@dataclass
class _Draft:
    """A concept under construction: labels by their full language tags."""

    preferred: _Tagged = field(default_factory=lambda: defaultdict(list))
    alternatives: _Tagged = field(default_factory=lambda: defaultdict(list))
    broader: list[str] = field(default_factory=list)


def read_taxonomy(
    path: str | Path,
    language: str = DEFAULT_LANGUAGE,
    *,
    decay: float = DEFAULT_DECAY,
    levels: int = DEFAULT_LEVELS,
) -> Vocabulary:
    """Return the concepts of a SKOS file; irregularities of the file are in `problems`.

    Nothing outside the file is opened. Parsing takes about a second for 10,000 statements; store
    `Vocabulary.to_json` of it.

    Args:
        path: Turtle, RDF/XML or JSON-LD, by the suffix or else by the content.
        language: Language of the labels shown, and of texts whose language is unknown.
        decay: Share of a narrower concept's weight that a broader one gets, for each level.
        levels: Number of levels up to which concepts count.

    Raises:
        MissingExtra: rdflib is not installed.
        InputError: The file cannot be read, or has no SKOS concept with a label.
    """
    path = Path(path)
    problems: list[str] = []
    drafts = _drafts(read_statements(path), problems)
    if not any(draft.preferred or draft.alternatives for draft in drafts.values()):
        raise InputError(
            f"{path} has no SKOS concept with a label: export the taxonomy as SKOS "
            "with skos:prefLabel."
        )
    concepts = {id: _concept(id, draft, problems) for id, draft in sorted(drafts.items())}
    problems += map(
        describe_cycle, cycles({id: concept.broader for id, concept in concepts.items()})
    )
    wanted = primary_language(language)
    problems += _language_problems(concepts, wanted)
    return Vocabulary(concepts, wanted, decay, levels, tuple(problems))


def _drafts(statements: Iterable[Statement], problems: list[str]) -> dict[str, _Draft]:
    """Return the concepts with labels and links: by type, or by having a preferred label."""
    by_predicate: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        by_predicate[statement.predicate].append(statement)
    types = by_predicate[_TYPE]
    ids = {statement.subject for statement in types if statement.value == _SKOS + "Concept"}
    ids |= {statement.subject for statement in by_predicate[_SKOS + "prefLabel"]}
    ids -= {statement.subject for statement in types if statement.value in _NO_CONCEPTS}
    drafts = {id: _Draft() for id in ids}
    for kind in ("prefLabel", "altLabel", "hiddenLabel"):
        for statement in by_predicate[_SKOS + kind]:
            if draft := drafts.get(statement.subject):
                tagged = draft.preferred if kind == "prefLabel" else draft.alternatives
                _add_label(tagged, statement, problems)
    links = {(statement.subject, statement.value) for statement in by_predicate[_SKOS + "broader"]}
    links |= {
        (statement.value, statement.subject) for statement in by_predicate[_SKOS + "narrower"]
    }
    _add_links(drafts, sorted(links), problems)
    return drafts


def _add_label(tagged: _Tagged, statement: Statement, problems: list[str]) -> None:
    label = clean_label(statement.value)
    concept = f"Concept {quoted(statement.subject)}"
    if not label:
        problems.append(f"{concept} has an empty label, which is left out.")
    elif len(label) > MAX_LABEL_LENGTH:
        problems.append(
            f"{concept} has a label of {len(label)} characters, {quoted(label)}, "
            f"more than {MAX_LABEL_LENGTH}, which is left out."
        )
    else:
        tagged[statement.language.lower()].append(label)


def _add_links(
    drafts: Mapping[str, _Draft], links: Iterable[tuple[str, str]], problems: list[str]
) -> None:
    """Add the broader concepts; links to concepts that the file does not describe are left out."""
    for narrower, broader in links:
        unknown = [concept for concept in (narrower, broader) if concept not in drafts]
        if unknown:
            problems.append(
                f"The link between {quoted(narrower)} and {quoted(broader)} is left out, "
                f"since {quoted(unknown[0])} is no concept of the file."
            )
        elif narrower == broader:
            problems.append(
                f"Concept {quoted(narrower)} is broader than itself: the link is left out."
            )
        else:
            drafts[narrower].broader.append(broader)


def _concept(id: str, draft: _Draft, problems: list[str]) -> Concept:
    preferred: dict[str, str] = {}
    labels: dict[str, dict[str, None]] = {}
    # In order, so that the label for en comes before that for en-GB.
    for tag, tagged in sorted(draft.preferred.items()):
        first, *rest = sorted(set(tagged))
        if rest:
            problems.append(
                f"Concept {quoted(id)} has {len(rest) + 1} preferred labels in "
                f"{tag or 'no language'}: {quoted(first)} is shown, all are looked for."
            )
        preferred.setdefault(primary_language(tag), first)
        labels.setdefault(primary_language(tag), {}).update(dict.fromkeys([first, *rest]))
    for tag, tagged in sorted(draft.alternatives.items()):
        labels.setdefault(primary_language(tag), {}).update(dict.fromkeys(sorted(tagged)))
    if not labels:
        problems.append(f"Concept {quoted(id)} has no label: it is shown by its name.")
    return Concept(
        id, preferred, {tag: tuple(of_tag) for tag, of_tag in labels.items()}, tuple(draft.broader)
    )


def _language_problems(concepts: Mapping[str, Concept], wanted: str) -> Iterator[str]:
    """Yield a sentence for each concept that has a label, but none in the language."""
    labelled = [concept for concept in concepts.values() if concept.labels]
    others = [concept for concept in labelled if concept.labels.keys().isdisjoint({wanted, ""})]
    if len(others) == len(labelled):
        tags = sorted({tag for concept in others for tag in concept.labels})
        yield f"No concept has a label in {wanted}: those in {', '.join(tags)} are used."
        return
    vocabulary = Vocabulary(concepts, wanted)
    for concept in others:
        label = quoted(vocabulary.label(concept.id))
        yield f"Concept {quoted(concept.id)} has no label in {wanted}: {label} of another is used."


def cycles(broader: Mapping[str, tuple[str, ...]]) -> Iterator[list[str]]:
    """Yield the concepts of a cycle for each broader link that closes one, each concept once.

    Without recursion, since hierarchies may be deep.
    """
    done: set[str] = set()
    for root in broader:
        if root in done:
            continue
        path, ahead = {root: 0}, [iter(broader[root])]
        while ahead:
            above = next(ahead[-1], None)
            if above is None:
                ahead.pop()
                done.add(path.popitem()[0])
            elif above in path:
                yield list(path)[path[above] :]
            elif above not in done:
                path[above] = len(path)
                ahead.append(iter(broader[above]))


def describe_cycle(names: list[str]) -> str:
    """Return a sentence on concepts that are broader than each other."""
    names = [quoted(name) for name in names]
    listed = names if len(names) <= _MAX_NAMED else [*names[:_MAX_NAMED], "…"]
    return (
        f"Broader concepts run in a circle, which is tolerated: {' > '.join([*listed, names[0]])}."
    )
