"""What the demo prints: counts, and the best example of each kind, on one screen of 80 columns."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from es_simhash.cli.tables import KIND_STYLES
from es_simhash.relation.relation import KINDS, Relation, SharedPassage
from es_simhash.relation.shared_passages import marked_words
from es_simhash.text.escaping import one_line

# The id of the query, and its relation to a hit.
Row = tuple[str, Relation]
# Equal words that are shown before the first that differ.
_WORDS_BEFORE = 3
# Cells of a passage next to an id; with fewer, the id is shown alone.
_LEAST_CELLS = 20
# Characters of a side that are looked at, more than a line has.
_LOOKED_AT = 2_000


def print_overview(rows: Sequence[Row], queried: int, console: Console) -> None:
    """Print how many relations of which kind there are, and the best example of each.

    Args:
        rows: Each related pair once.
        queried: Documents that were queried.
        console: Where to.
    """
    counts = Counter(relation.kind for _, relation in rows)
    totals = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    console.print(f"{queried} documents queried: {totals or 'no relations'}.", highlight=False)
    for kind in KINDS:
        examples = [row for row in rows if row[1].kind == kind]
        if examples:
            _print_example(*max(examples, key=_usefulness), console)


def _usefulness(row: Row) -> tuple[bool, float, int]:
    """Return the key that sorts pairs of one kind by their use as an example."""
    _, relation = row
    reworded = any(passage.kind in ("edited", "paraphrased") for passage in relation.evidence)
    letters = sum(len(passage.query.text) for passage in relation.evidence)
    return reworded, relation.score if relation.kind == "semantic" else 0.0, letters


def _print_example(id: str, relation: Relation, console: Console) -> None:
    """Print how two documents are related, and a line of each: its id, and its passage."""
    console.print(
        Text.assemble((relation.kind, KIND_STYLES[relation.kind]), f": {_sentence(relation)}")
    )
    ids = one_line(id), one_line(relation.id or "")
    width = max(map(cell_len, ids))
    sides = _sides(relation)
    for name, side in zip(ids, sides, strict=True):
        line = Text.assemble("  ", (name, "bold"), " " * (width - cell_len(name)), "  ")
        left = console.width - line.cell_len
        if left >= _LEAST_CELLS:
            side.truncate(left, overflow="ellipsis")
            line.append_text(side)
        line.rstrip()
        # An id is never cut: one that is too long for the line is wrapped by the terminal.
        console.print(line, soft_wrap=True)


def _sentence(relation: Relation) -> str:
    score = f"score {relation.score:.2f}"
    if relation.kind != "semantic":
        coverage = relation.coverage
        return (
            f"{score}, they share {coverage.of_query:.0%} and {coverage.of_hit:.0%} of their texts"
        )
    if relation.semantics is None or not relation.semantics.shared:
        return score
    terms = ", ".join(one_line(term.text) for term in relation.semantics.shared[:3])
    return f"{score}, both about {terms}"


def _sides(relation: Relation) -> tuple[Text, Text]:
    """Return the passage of both sides that shows most, from where they begin to differ."""
    if not relation.evidence:
        return Text(), Text()
    passage = next((each for each in relation.evidence if each.changed), relation.evidence[0])
    if relation.kind == "semantic" or not passage.changed:
        return _plain(passage.query.text), _plain(passage.hit.text)
    query, hit = _differing(passage)
    return query, hit


def _plain(text: str) -> Text:
    return Text(one_line(text[:_LOOKED_AT]))


def _differing(passage: SharedPassage) -> tuple[Text, Text]:
    """Return both sides from a few words before the first that differ, with those marked."""
    sides = marked_words(passage)
    # Both sides begin at the same words: equal ones come in the same number.
    equal = min(
        next((place for place, (_, is_shared) in enumerate(side) if not is_shared), len(side))
        for side in sides
    )
    start = max(0, equal - _WORDS_BEFORE)
    query, hit = (_marked(side[start : start + _LOOKED_AT], start > 0) for side in sides)
    return query, hit


def _marked(words: Sequence[tuple[str, bool]], is_cut: bool) -> Text:
    text = Text("… " if is_cut else "")
    for is_shared, run in groupby(words, key=itemgetter(1)):
        found = " ".join(one_line(word) for word, _ in run)
        text.append(f"{found} ", "" if is_shared else "bold magenta")
    return text
