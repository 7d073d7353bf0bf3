"""`es-simhash files concepts`: the entities, concepts and key phrases of a text."""

from dataclasses import asdict, replace
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.cli.commands import command
from es_simhash.cli.files import read_text
from es_simhash.cli.options import Semantics, TableOrJson, VocabularyFile
from es_simhash.cli.output import print_json, print_problems
from es_simhash.errors import InputError
from es_simhash.semantics.extractors.builtin import find_phrases
from es_simhash.semantics.languages.words import words_with_offsets
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_profile import Extraction, SemanticProfile, Spans
from es_simhash.semantics.vocabularies.vocabulary import ConceptMatch
from es_simhash.semantics.vocabularies.vocabulary_files import load_vocabulary
from es_simhash.text.escaping import is_harmless, one_line

_ENTITY, _PHRASE, _WORD, _VOCABULARY = "bold cyan", "underline", "green", "bold magenta"
# The rest of a longer text is not printed, but is in the lists.
_MAX_CHARACTERS_SHOWN = 4000
_MAX_CONCEPTS_SHOWN = 20


@command
def concepts(
    file: str,
    *,
    semantics: Semantics,
    vocabulary: VocabularyFile = None,
    output_format: TableOrJson = "table",
) -> None:
    """Show the entities, concepts and key phrases of FILE.

    FILE is a text in UTF-8; - reads standard input. Entities, concepts and phrases are marked in
    the text and listed with their counts or weights.
    """
    text = read_text(file)
    if semantics.vector_field or semantics.entity_fields:
        raise InputError(
            "A file has no fields to read entities or vectors from. "
            "Omit --entity-field and --vectors field:NAME."
        )
    profiler = semantic_profiler(semantics)
    extraction = profiler.extractor.extract([text])[0]
    if not extraction.phrases:
        # Ingest omits them, because they take longer than all the rest.
        phrases = find_phrases(text, extraction.language, semantics.packages)
        extraction = replace(extraction, phrases=phrases)
    profile = profiler.profile([text])[0]
    named = _vocabulary_concepts(vocabulary, text, profile.language) if vocabulary else []
    if output_format == "json":
        print_json(_as_dict(extraction, profile, named))
        return
    _print(text, extraction, profile, named, Console())


def _vocabulary_concepts(path: str, text: str, language: str) -> list[ConceptMatch]:
    """Return the concepts of a vocabulary in a text; print the problems of its file."""
    vocabulary = load_vocabulary(path)
    print_problems(vocabulary.problems)
    return vocabulary.find(text, language)


def _as_dict(
    extraction: Extraction, profile: SemanticProfile, named: list[ConceptMatch]
) -> dict[str, Any]:
    return {
        "language": extraction.language,
        "entities": [asdict(entity) for entity in extraction.entities],
        "concepts": {name: round(weight, 4) for name, weight in profile.concepts.items()},
        "phrases": [asdict(phrase) for phrase in extraction.phrases],
        "vector": profile.vector is not None,
        "vocabulary": [asdict(concept) for concept in named],
    }


def _print(
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
    table.add_column("top concepts", _WORD)
    table.add_column("key phrases")
    table.add_row(
        _lines((entity.text, f"×{entity.count}") for entity in extraction.entities),
        _lines(
            (name, f"{weight:.2f}")
            for name, weight in [*profile.concepts.items()][:_MAX_CONCEPTS_SHOWN]
        ),
        _lines((phrase.text, f"×{phrase.count}") for phrase in extraction.phrases),
    )
    console.print(table)
    for concept in named:
        console.print(
            Text.assemble((one_line(concept.label), _VOCABULARY), f" {concept.weight:.2f}")
        )
    language = extraction.language or "unknown"
    vector = "with" if profile.vector is not None else "without"
    console.print(f"Language {language}, {vector} a vector.", highlight=False)


def _lines(rows: Any) -> Text:
    return Text("\n").join(Text(f"{one_line(name)} {value}") for name, value in rows)


def _marked(
    text: str, extraction: Extraction, profile: SemanticProfile, named: list[ConceptMatch]
) -> Text:
    """Return the text with its features marked; entities cover words."""
    shown = Text(_visible(text[:_MAX_CHARACTERS_SHOWN]))
    heavy = set([*profile.concepts][:_MAX_CONCEPTS_SHOWN])
    words = tuple(
        (word.start, word.end)
        for word in words_with_offsets(text[:_MAX_CHARACTERS_SHOWN], extraction.language)
        if word.normal in heavy
    )
    layers: list[tuple[str, Spans]] = [
        (_WORD, words),
        *((_PHRASE, phrase.spans) for phrase in extraction.phrases),
        *((_VOCABULARY, concept.spans) for concept in named),
        *((_ENTITY, entity.spans) for entity in extraction.entities),
    ]
    for style, spans in layers:
        for start, end in spans:
            if end <= _MAX_CHARACTERS_SHOWN:
                shown.stylize(style, start, end)
    return shown


def _visible(text: str) -> str:
    """Replace control characters by spaces, so that offsets stay valid."""
    return "".join(c if is_harmless(c) or c == "\n" else " " for c in text)
