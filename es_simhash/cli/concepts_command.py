"""`es-simhash concepts`: what is read from a text, marked where it stands."""

from dataclasses import asdict, replace
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.cli.files import read_text
from es_simhash.cli.semantic_options import semantic_options, semantics_of, vocabulary_option
from es_simhash.cli.showing import format_option, print_json, printable
from es_simhash.errors import InputError
from es_simhash.semantics.extraction import Extraction, Spans
from es_simhash.semantics.extractors.phrases import find_phrases
from es_simhash.semantics.languages.words import words_with_offsets
from es_simhash.semantics.profile import SemanticProfile
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.vocabulary.files import load_vocabulary
from es_simhash.semantics.vocabulary.vocabulary import ConceptMatch

_ENTITY, _PHRASE, _WORD, _NAMED = "bold cyan", "underline", "green", "bold magenta"
# A longer text is marked up to here; all of it is in the lists.
_SHOWN = 4000
# Problems of a vocabulary that are told.
_MOST_PROBLEMS = 10


@click.command()
@click.argument("file")
@semantic_options
@vocabulary_option
@format_option
def concepts(file: str, vocabulary: str | None, form: str, **semantics: Any) -> None:
    """Show what is read from FILE, a text in UTF-8; - reads the standard input.

    Entities, key words and phrases are marked in the text, and listed with their weights.
    """
    text = read_text(file)
    scheme = semantics_of(**semantics)
    if scheme.vector_field or scheme.entity_fields:
        raise InputError("A file has no fields; leave out --entity-field and field: vectors.")
    reader = semantic_profiler(scheme)
    extraction = reader.extractor.extract([text])[0]
    if not extraction.phrases:
        # Looking for them takes longer than all the rest, so that ingest leaves them out.
        phrases = find_phrases(text, extraction.language, scheme.packages)
        extraction = replace(extraction, phrases=phrases)
    read = reader.profile([text])[0]
    named = _named(vocabulary, text, read.language) if vocabulary else []
    if form == "json":
        print_json(_described(extraction, read, named))
        return
    _show(text, extraction, read, named, Console())


def _named(path: str, text: str, language: str) -> list[ConceptMatch]:
    """Find the concepts of a vocabulary, and tell on standard error what is wrong with it."""
    vocabulary = load_vocabulary(path)
    for problem in vocabulary.problems[:_MOST_PROBLEMS]:
        click.echo(printable(problem), err=True)
    if len(vocabulary.problems) > _MOST_PROBLEMS:
        click.echo(f"and {len(vocabulary.problems) - _MOST_PROBLEMS} more.", err=True)
    return vocabulary.find(text, language)


def _described(
    extraction: Extraction, profile: SemanticProfile, named: list[ConceptMatch]
) -> dict[str, Any]:
    return {
        "language": extraction.language,
        "entities": [asdict(each) for each in extraction.entities],
        "concepts": {name: round(weight, 4) for name, weight in profile.concepts.items()},
        "phrases": [asdict(each) for each in extraction.phrases],
        "vector": profile.vector is not None,
        "vocabulary": [asdict(each) for each in named],
    }


def _show(
    text: str,
    extraction: Extraction,
    profile: SemanticProfile,
    named: list[ConceptMatch],
    console: Console,
) -> None:
    console.print(_marked(text, extraction, profile, named))
    console.print()
    table = Table(box=None)
    table.add_column("entities", _ENTITY)
    table.add_column("heaviest concepts", _WORD)
    table.add_column("key phrases")
    table.add_row(
        _lines((each.text, f"×{each.count}") for each in extraction.entities),
        _lines((name, f"{weight:.2f}") for name, weight in [*profile.concepts.items()][:20]),
        _lines((each.text, f"×{each.count}") for each in extraction.phrases),
    )
    console.print(table)
    for each in named:
        console.print(Text.assemble((printable(each.label), _NAMED), f" {each.weight:.2f}"))
    language = extraction.language or "unknown"
    vector = "with" if profile.vector is not None else "without"
    console.print(f"Language {language}, {vector} a vector.", highlight=False)


def _lines(rows: Any) -> Text:
    return Text("\n").join(Text(f"{printable(name)} {value}") for name, value in rows)


def _marked(
    text: str, extraction: Extraction, profile: SemanticProfile, named: list[ConceptMatch]
) -> Text:
    """The text with everything that was read marked; entities lie above words."""
    shown = Text(_visible(text[:_SHOWN]))
    heavy = set([*profile.concepts][:20])
    words = tuple(
        (word.start, word.end)
        for word in words_with_offsets(text[:_SHOWN], extraction.language)
        if word.normal in heavy
    )
    layers: list[tuple[str, Spans]] = [
        (_WORD, words),
        *((_PHRASE, each.spans) for each in extraction.phrases),
        *((_NAMED, each.spans) for each in named),
        *((_ENTITY, each.spans) for each in extraction.entities),
    ]
    for style, spans in layers:
        for start, end in spans:
            if end <= _SHOWN:
                shown.stylize(style, start, end)
    return shown


def _visible(text: str) -> str:
    """As many characters, none of which steers a terminal, so that offsets stay."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
