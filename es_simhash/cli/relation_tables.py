"""Relations as tables, one line each, with the evidence of each."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from es_simhash.cli.columns import LEAST_WIDTH, Column, print_columns
from es_simhash.cli.output import print_json, shortened
from es_simhash.cli.titles import named, title_columns
from es_simhash.differences.marked_words import marked_words
from es_simhash.relation.answer import Answer, Extent, Grouping
from es_simhash.relation.relation import (
    Coverage,
    DocumentContext,
    Relation,
    Reuse,
    SharedPassage,
    semantic_score,
)
from es_simhash.relation.thresholds import REUSE_KINDS, SCORING, SHOWN_SCORE
from es_simhash.relation.version_weights import EVIDENCE_TITLES
from es_simhash.semantics.semantic_similarity import NearWords, SemanticSimilarity, SharedConcept
from es_simhash.semantics.word_places import FIELD, TITLE
from es_simhash.store.paths import get_path
from es_simhash.text.counting import counted, percent, score_text
from es_simhash.text.escaping import one_line

# How the query relates to the hit, as the verb of a sentence.
KIND_PHRASES = {
    "exact": "is the same text as",
    "version": "is a version of",
    "contains": "contains",
    "excerpt_of": "is an excerpt of",
    "shares_passages": "shares passages with",
    "semantic": "is a semantic neighbour of",
    "none": "is not related to",
}
KIND_STYLES = {
    "exact": "bold green",
    "version": "green",
    "contains": "cyan",
    "excerpt_of": "cyan",
    "shares_passages": "yellow",
    "semantic": "blue",
    "none": "dim",
}
_MAX_PASSAGES = 3
# Kinds whose score is the semantic one.
_SCORED = ("semantic", "none")
# Characters of a passage whose differing words are marked; of longer ones both ends are shown.
_MARKED = 12_000
# Equal words that are shown before and behind differing ones, and words of one side altogether.
_CONTEXT, _MAX_WORDS = 8, 80


def print_relation(
    a: str, b: str, relation: Relation, passage_order: str, output_format: str
) -> None:
    """Print how one document or file is related to another, as a table or as JSON.

    Args:
        a: What the query is called.
        b: What the hit is called.
        relation: Their relation.
        passage_order: Order of the passages: by `weight` or by `place`.
        output_format: `table` or `json`.
    """
    if passage_order == "place":
        relation = relation.by_place()
    if output_format == "json":
        print_json({**relation.to_dict(), "scoring": SCORING})
    else:
        print_pair(a, b, relation, Console())


def print_pair(a: str, b: str, relation: Relation, console: Console) -> None:
    """Print how document or file A, the query, is related to B, or not, with the evidence."""
    kind = KIND_PHRASES[relation.kind], KIND_STYLES[relation.kind]
    end = "." if relation.kind == "none" else ""
    # The terminal wraps it: an id is never broken by a line of ours.
    console.print(Text.assemble(one_line(a), " ", kind, " ", one_line(b), end), soft_wrap=True)
    if relation.kind == "none":
        console.print(_unrelated_line(relation))
    else:
        console.print(_score_line(relation))
    # Of versions it would be another number than the coverage.
    if relation.reuse is not None and relation.kind == "shares_passages":
        console.print(_reuse_line(relation.reuse))
    if relation.log_odds is not None:
        console.print(_log_odds_line(relation.log_odds))
    if relation.dismissed:
        console.print("dismissed: a person decided that they are not versions")
    if relation.joined:
        console.print("joined: a person decided that they are versions")
    print_evidence(relation, console)


def _score_line(relation: Relation) -> str:
    line = f"{_kind_and_reuse(relation)}, score {score_text(relation.score)}"
    return "; ".join(filter(None, (line, relation.coverage_sentence)))


def _unrelated_line(relation: Relation) -> str:
    """Return what little two texts share, as a sentence."""
    score = score_text(relation.score)
    line = f"Their score of {score} is too low for a relation; they share no passage"
    if relation.semantics is not None and shown_parts(relation.semantics).terms:
        return f"{line}, and only this:"
    return f"{line}, and no term or entity of weight."


def relation_kind(relation: Relation) -> str:
    """Return the kind of a relation as tables show it."""
    kind = _kind_and_reuse(relation)
    if relation.copies:
        kind += f" (+{relation.copies})"
    if relation.joined:
        return f"{kind} (joined)"
    return f"{kind} (dismissed)" if relation.dismissed else kind


def _kind_and_reuse(relation: Relation) -> str:
    """Return the kind, how shared passages were changed, and that texts are near in meaning too."""
    kind: str = relation.kind
    if relation.kind == "shares_passages" and relation.reuse is not None:
        kind = f"{kind} ({relation.reuse.kind})"
        semantics = relation.semantics
        if semantics is not None and semantic_score(semantics.similarity) >= SHOWN_SCORE:
            kind = f"{kind}, semantic"
    return kind


def coverages(relation: Relation) -> tuple[str, str]:
    """Return how much of each text appears in the other; empty for semantic neighbours."""
    if relation.kind == "semantic":
        return "", ""
    return percent(relation.coverage.of_query), percent(relation.coverage.of_hit)


def _reuse_line(reuse: Reuse) -> str:
    """Return how much of both texts was taken over, and how it was changed."""
    parts = []
    for kind in REUSE_KINDS:
        coverage: Coverage = getattr(reuse, kind)
        if coverage.of_query or coverage.of_hit:
            of_a, of_b = percent(coverage.of_query), percent(coverage.of_hit)
            parts.append(f"{kind} {of_a} of A, {of_b} of B")
    return f"passages: {'; '.join(parts)}"


def _log_odds_line(log_odds: Mapping[str, float]) -> str:
    """Return what speaks for and against versions, what says most first."""
    added = {name: value for name, value in log_odds.items() if name != "start"}
    parts = [
        f"{EVIDENCE_TITLES[name]} {value:+.1f}"
        for name, value in sorted(added.items(), key=lambda item: -abs(item[1]))
        if round(value, 1)
    ]
    first = f"{EVIDENCE_TITLES['start']} {log_odds['start']:+.1f}"
    total = sum(log_odds.values())
    return f"evidence of versions, in log-odds: {', '.join([first, *parts])}; sum {total:+.1f}"


def heading(query: str, relation: Relation) -> Text:
    """Return the line above the evidence of a relation; the query as it is called in it."""
    line = Text.assemble(
        (one_line(query), "bold"),
        " (left) ",
        (KIND_PHRASES[relation.kind], KIND_STYLES[relation.kind]),
        " ",
        (named(relation.id or "", relation.document), "bold"),
        " (right)",
    )
    if relation.copies:
        line.append(f", and {counted(relation.copies, 'more version')} of it", "dim")
    if relation.common:
        line.append(f"; {percent(relation.common)} of what they share is common here", "dim")
    return line


def print_evidence(relation: Relation, console: Console) -> None:
    """Print the shared terms and entities, and the shared passages side by side."""
    for said in relation.fields:
        if said.sentence is not None:
            console.print(one_line(said.sentence), markup=False)
    if relation.semantics is not None:
        # Of versions it would be another score than theirs.
        for line in semantic_lines(relation.semantics, scored=relation.kind in _SCORED):
            console.print(line)
    if relation.evidence:
        console.print(side_by_side(relation.evidence, semantic=relation.kind == "semantic"))


def side_by_side(evidence: Sequence[SharedPassage], *, semantic: bool = False) -> RenderableType:
    """Return the passages in two columns with their offsets; differing words are marked."""
    rows: list[RenderableType] = []
    for passage in evidence[:_MAX_PASSAGES]:
        difference = "" if semantic else _difference(passage)
        grid = Table.grid(padding=(0, 2), expand=True)
        grid.add_column(ratio=1)
        grid.add_column(ratio=1)
        grid.add_row(
            Text(f"{passage.query.start}–{passage.query.end}", "dim"),
            Text(f"{passage.hit.start}–{passage.hit.end}  {difference}", "dim"),
        )
        grid.add_row(*(_plain_sides(passage) if semantic else _marked_sides(passage)))
        rows.append(grid)
    more = len(evidence) - _MAX_PASSAGES
    if more > 0:
        rows.append(Text(f"and {more} more", "dim"))
    return Group(*rows)


def _difference(passage: SharedPassage) -> str:
    if not passage.changed:
        return "word for word"
    return f"{passage.kind}, {percent(passage.changed)} changed"


def _plain_sides(passage: SharedPassage) -> tuple[Text, Text]:
    return Text(shortened(passage.query.text)), Text(shortened(passage.hit.text))


def _marked_sides(passage: SharedPassage) -> tuple[Text, Text]:
    if not passage.changed or max(map(len, (passage.query.text, passage.hit.text))) > _MARKED:
        return _plain_sides(passage)
    query, hit = (_marked(words) for words in marked_words(passage))
    return query, hit


def _marked(words: Sequence[tuple[str, bool]]) -> Text:
    """Return words with those marked that the other side has not; long equal runs are left out."""
    text, shown = Text(), 0
    for is_shared, run in groupby(words, key=itemgetter(1)):
        found = [one_line(word) for word, _ in run]
        if is_shared and len(found) > 2 * _CONTEXT + 1:
            found = [*found[:_CONTEXT], "…", *found[-_CONTEXT:]]
        text.append(" ".join(found) + " ", "" if is_shared else "bold magenta")
        shown += len(found)
        if shown >= _MAX_WORDS:
            text.append("…")
            break
    return text


# Characters of a field.
_MAX_FIELD = 60
# Which columns are left out first where the terminal is narrow: those of a higher rank. How much is
# in common says more than the title of a document whose id is there.
_SHARES_RANK, _ORDER_RANK = 1, 3
# Cells of the kind, whose beginning tells which it is.
_LEAST_KIND = 8


def print_answer(
    answer: Answer,
    query: str,
    *,
    fields: Sequence[str] = (),
    group: Grouping | None = None,
    console: Console | None = None,
) -> None:
    """Print the relations of a query, then the evidence of each that has any.

    Args:
        answer: The relations.
        query: Id of the query, or what it is called.
        fields: Fields of the hits to show.
        group: What a table of its own is printed for; None for one table.
        console: None for the terminal.
    """
    console = console or Console()
    if not answer:
        found = "No more relations" if answer.extent.offset else "No relations found"
        console.print(Text(f"{found} for {one_line(query)}."), highlight=False, soft_wrap=True)
        return
    called = named(query, answer.document)
    title = Text(f"Related to {called}", "italic")
    console.print(title, soft_wrap=True)
    groups: Mapping[str, Answer] = answer.groups(group) if group else {"": answer}
    for name, relations in groups.items():
        _print_table(relations, name, fields, console)
    line = count_line(len(answer), answer.extent, truncated=answer.truncated)
    console.print(Text(line, "dim"), highlight=False)
    for relation in answer:
        if relation.evidence or (relation.semantics and relation.semantics.shared):
            console.print()
            console.print(heading(called, relation), soft_wrap=True)
            print_evidence(relation, console)


def count_line(shown: int, extent: Extent, *, truncated: bool) -> str:
    """Return how many of all relations are shown, and how to see the next.

    Args:
        shown: How many are shown.
        extent: The part that they are of all.
        truncated: Whether there may be more than were counted, as candidates were cut.
    """
    first = f" from {extent.offset + 1}" if extent.offset else ""
    how = "about " if extent.is_estimate else "at least " if truncated else ""
    line = f"{shown} of {how}{extent.total}{first}"
    if extent.next_offset is not None:
        line += f"; --from {extent.next_offset} shows the next"
    return f"{line}."


def _print_table(
    relations: Sequence[Relation], group: str, fields: Sequence[str], console: Console
) -> None:
    if group:
        console.print(Text(one_line(group), "bold"))
    print_columns(_columns(relations, fields), console)


def _columns(relations: Sequence[Relation], fields: Sequence[str]) -> list[Column]:
    covered = [coverages(relation) for relation in relations]
    documents = [relation.document or DocumentContext() for relation in relations]
    titles, dates = title_columns(
        [document.title for document in documents], [document.date for document in documents]
    )
    return [
        Column("id", [relation.id for relation in relations]),
        Column(
            "kind",
            [Text(relation_kind(relation), KIND_STYLES[relation.kind]) for relation in relations],
            least=_LEAST_KIND,
        ),
        Column("score", [score_text(relation.score) for relation in relations], is_number=True),
        *(
            Column(
                f"of {side}",
                [shares[number] for shares in covered],
                is_number=True,
                rank=_SHARES_RANK,
                may_lack=True,
            )
            for number, side in enumerate(("query", "hit"))
        ),
        dates,
        Column(
            "order",
            [relation.direction for relation in relations],
            rank=_ORDER_RANK,
            may_lack=True,
        ),
        titles,
        *field_columns(fields, [relation.source for relation in relations]),
    ]


def field_columns(fields: Sequence[str], sources: Sequence[Mapping[str, Any]]) -> list[Column]:
    """Return a column for each field of the documents."""
    return [
        Column(one_line(name), [_field(source, name) for source in sources], least=LEAST_WIDTH)
        for name in fields
    ]


def _field(source: Mapping[str, Any], name: str) -> str:
    value = get_path(source, name)
    return "" if value is None else shortened(str(value), _MAX_FIELD)


# Smaller shares of the similarity would be printed as 0.00.
_MIN_SHARE = 0.005


def semantic_lines(semantics: SemanticSimilarity, *, scored: bool) -> list[Text]:
    """Return what both texts share, what each term adds to the similarity, and what that scores.

    Args:
        semantics: The similarity.
        scored: Whether the score is shown.
    """
    lines = [Text(one_line(sentence)) for sentence in semantics.shared_vocabulary]
    parts = shown_parts(semantics)
    for label, entities in (("shared entities: ", True), ("shared terms: ", False)):
        shared = [
            f"{one_line(term.text)} {share:.2f}{_place(term)}"
            for term, share in parts.terms
            if term.is_entity is entities
        ]
        if shared:
            lines.append(Text.assemble((label, "dim"), ", ".join(shared)))
    if semantics.vector >= _MIN_SHARE and semantics.near.of_query:
        lines.append(Text.assemble(("near words: ", "dim"), _near_line(semantics.near)))
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
    weighed = f"; background {semantics.background}" if semantics.background else ""
    score = f", score {score_text(semantics.score)}" if scored else ""
    lines.append(Text(f"{line}{score}{weighed}", "dim"))
    return lines


def _place(term: SharedConcept) -> str:
    """Return where the texts have a term, if that is a title or a field."""
    titles = [
        side for side, place in (("query", term.in_query), ("hit", term.in_hit)) if place == TITLE
    ]
    fields = {
        place.removeprefix(FIELD)
        for place in (term.in_query, term.in_hit)
        if place.startswith(FIELD)
    }
    said = [f"field {one_line(name)}" for name in sorted(fields)]
    if titles:
        said.insert(0, "both titles" if len(titles) > 1 else f"title of {titles[0]}")
    return f" ({', '.join(said)})" if said else ""


def _near_line(near: NearWords) -> str:
    """Return the words of both texts that are behind the part of the vectors."""
    return "; ".join(
        f"{', '.join(one_line(word.text) for word in words)} ({side})"
        for side, words in (("query", near.of_query), ("hit", near.of_hit))
        if words
    )


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
    left = round(100 * round(semantics.similarity, 2)) - sum(hundredths)
    order = sorted(range(len(parts)), key=lambda place: hundredths[place] - 100 * parts[place])
    for place in order[:left]:
        hundredths[place] += 1
    vector, *shares, others = (number / 100 for number in hundredths)
    shown = [(term, share) for term, share in zip(terms, shares, strict=True) if share]
    return ShownParts(shown, vector, others)
