"""Bytes that each method stores of a document, by the length of the document."""

from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.lab.methods.method_registry import method_named, method_names
from es_simhash.lab.methods.project_method import DEFAULT_METHOD
from tests.bench.experiments.bar_panels import bar_panels, decades
from tests.bench.experiments.model import Result, Size
from tests.support.made_up_texts import make_prose

LENGTHS = (50, 500, 5000)
_SENTENCE = 15
_TEXTS, _TEXT = 8, "the text itself"


def texts_of(words: int, count: int) -> list[str]:
    """Return texts of so many words, in paragraphs of five sentences."""
    made = []
    for seed in range(count):
        sentences = make_prose(seed, -(-words // _SENTENCE), _SENTENCE)
        rest = " ".join(" ".join(sentences).split()[:words]).split(". ")
        paragraphs = (". ".join(rest[at : at + 5]) for at in range(0, len(rest), 5))
        made.append(".\n\n".join(paragraphs))
    return made


def bytes_of(method: str, words: int, count: int) -> float:
    """Return the mean bytes that are stored of a text."""
    return method_named(method).read(texts_of(words, count)).nbytes / count


def run(size: Size) -> Result:
    """Measure all methods at all lengths."""
    count = min(_TEXTS, size.texts)
    measured = {
        name: [bytes_of(name, words, count) for words in LENGTHS] for name in method_names()
    }
    plain = [sum(len(t.encode()) for t in texts_of(words, count)) / count for words in LENGTHS]
    measured = {_TEXT: plain, **measured}
    ordered = dict(sorted(measured.items(), key=lambda item: item[1][1]))
    rows = tuple((name, *(f"{value:,.0f}" for value in values)) for name, values in ordered.items())
    columns = ("method", *(f"{words:,} words" for words in LENGTHS))
    scale = [value for values in ordered.values() for value in values]
    panels = [
        decades(f"{words:,} words, bytes", [values[place] for values in ordered.values()], scale)
        for place, words in enumerate(LENGTHS)
    ]
    plot = bar_panels(
        "Bytes of a document by method", list(ordered), panels, (DEFAULT_METHOD, _TEXT)
    )
    notes = (
        "Made-up prose of 15 words a sentence and five sentences a paragraph; bytes that are "
        "needed to score two texts, packed and without ids.",
    )
    return Result((Table("Bytes of a document", columns, rows),), {"": plot}, notes)
