"""Our rules as spaCy components, so that they can join a user's own pipeline (extra: spacy).

`nlp.add_pipe("es_simhash_entities")` finds named entities by rules and leaves those that are there
already; `nlp.add_pipe("es_simhash_concepts")` makes `doc._.es_simhash` the `Extraction` of the
document. spaCy finds both by their entry points when the package is installed.
"""

from collections.abc import Callable, Iterator

from es_simhash.semantics.entities.rules import find_entities
from es_simhash.semantics.extractors.spacy_pipeline import extraction_of, require_spacy
from es_simhash.semantics.languages.detection import language_of

require_spacy()

from spacy.language import Language  # noqa: E402  # said in one sentence when it is missing
from spacy.tokens import Doc, Span  # noqa: E402
from spacy.util import filter_spans  # noqa: E402

ENTITIES = "es_simhash_entities"
CONCEPTS = "es_simhash_concepts"
EXTENSION = "es_simhash"
LABEL = "NAME"

Component = Callable[[Doc], Doc]


class EntityRules:
    """Adds the named entities that rules find to a document."""

    def __init__(self, label: str = LABEL) -> None:
        """Return entities this label, for the rules do not tell of what kind they are."""
        self.label = label

    def __call__(self, doc: Doc) -> Doc:
        """Add entities where the document has none; those of other components stay."""
        found = filter(None, (self._span(doc, *place) for place in _places(doc)))
        free = [span for span in found if not any(token.ent_iob_ in ("B", "I") for token in span)]
        doc.set_ents(filter_spans(free), default="unmodified")
        return doc

    def _span(self, doc: Doc, start: int, end: int) -> Span | None:
        return doc.char_span(start, end, label=self.label, alignment_mode="expand")


def _places(doc: Doc) -> Iterator[tuple[int, int]]:
    language = language_of(doc.text) if doc.lang_ == "xx" else doc.lang_
    for entity in find_entities(doc.text, language):
        yield from entity.spans


def make_entities(nlp: Language, name: str, label: str) -> EntityRules:
    """Return the component `es_simhash_entities`; its setting `label` is NAME by default."""
    return EntityRules(label)


def make_concepts(nlp: Language, name: str) -> Component:
    """Return the component `es_simhash_concepts`, with which documents have `._.es_simhash`."""
    if not Doc.has_extension(EXTENSION):
        # Worked out when it is asked for, from what all components found: nothing is stored that
        # could keep a document from being saved, or from being sent to another process.
        Doc.set_extension(EXTENSION, getter=extraction_of)
    return _unchanged


def _unchanged(doc: Doc) -> Doc:
    return doc


# Called and not used as decorators, which would have no types where spaCy is not installed.
Language.factory(
    ENTITIES,
    default_config={"label": LABEL},
    assigns=["doc.ents", "token.ent_iob", "token.ent_type"],
    func=make_entities,
)
Language.factory(CONCEPTS, requires=["doc.ents"], assigns=["doc._.es_simhash"], func=make_concepts)
