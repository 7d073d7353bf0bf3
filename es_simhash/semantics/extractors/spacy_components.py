"""The rules of the built-in extractor as components of a spaCy pipeline (extra: spacy).

`nlp.add_pipe("es_simhash_entities")` adds named entities by rules to those that other components
set; `nlp.add_pipe("es_simhash_concepts")` makes `doc._.es_simhash` the `Extraction` of the
document. Entry points of the package register both with spaCy.
"""

from collections.abc import Callable, Iterator

from es_simhash.semantics.entities.entity_rules import find_entities
from es_simhash.semantics.extractors.spacy_documents import extraction_of
from es_simhash.semantics.extractors.spacy_pipeline import require_spacy
from es_simhash.semantics.languages.detection import detect_language

require_spacy()

from spacy.language import Language  # noqa: E402  # a missing spaCy is a MissingExtra
from spacy.tokens import Doc, Span  # noqa: E402
from spacy.util import filter_spans  # noqa: E402

ENTITY_COMPONENT = "es_simhash_entities"
CONCEPT_COMPONENT = "es_simhash_concepts"
EXTENSION = "es_simhash"
DEFAULT_LABEL = "NAME"

Component = Callable[[Doc], Doc]


class EntityRules:
    """Adds the named entities that rules find to a document."""

    def __init__(self, label: str = DEFAULT_LABEL) -> None:
        """Set the label of all entities; the rules do not distinguish types."""
        self.label = label

    def __call__(self, doc: Doc) -> Doc:
        """Add entities where the document has none; those of other components stay."""
        spans = filter(None, (self._span(doc, *offsets) for offsets in _entity_offsets(doc)))
        free = [span for span in spans if not any(token.ent_iob_ in ("B", "I") for token in span)]
        doc.set_ents(filter_spans(free), default="unmodified")
        return doc

    def _span(self, doc: Doc, start: int, end: int) -> Span | None:
        return doc.char_span(start, end, label=self.label, alignment_mode="expand")


def _entity_offsets(doc: Doc) -> Iterator[tuple[int, int]]:
    language = detect_language(doc.text) if doc.lang_ == "xx" else doc.lang_
    for entity in find_entities(doc.text, language):
        yield from entity.spans


def make_entities(nlp: Language, name: str, label: str) -> EntityRules:
    """Return the component `es_simhash_entities`; its setting `label` is NAME by default."""
    return EntityRules(label)


def make_concepts(nlp: Language, name: str) -> Component:
    """Return the component `es_simhash_concepts`, with which documents have `._.es_simhash`."""
    if not Doc.has_extension(EXTENSION):
        # Computed on access from the results of all components: nothing is stored that could keep
        # a document from being saved, or from being sent to another process.
        Doc.set_extension(EXTENSION, getter=extraction_of)
    return _unchanged


def _unchanged(doc: Doc) -> Doc:
    return doc


# Called and not used as decorators, which would have no types where spaCy is not installed.
Language.factory(
    ENTITY_COMPONENT,
    default_config={"label": DEFAULT_LABEL},
    assigns=["doc.ents", "token.ent_iob", "token.ent_type"],
    func=make_entities,
)
Language.factory(
    CONCEPT_COMPONENT, requires=["doc.ents"], assigns=["doc._.es_simhash"], func=make_concepts
)
