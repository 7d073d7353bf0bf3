"""Vocabularies in files that are damaged, and what reading them must end in."""

import random
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from es_simhash.errors import EsSimhashError
from es_simhash.semantics.vocabularies.synonyms import read_synonyms
from es_simhash.semantics.vocabularies.vocabulary import Vocabulary
from es_simhash.semantics.vocabularies.vocabulary_files import load_vocabulary
from tests.fuzz.hostile import (
    changed,
    damaged,
    hostile_text,
    require_sentence,
    rounds,
    spliced,
)

# Files of a batch: a statement of RDF takes a tenth of a millisecond.
_FILES = 8
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_TURTLE = f"""@prefix skos: <{_SKOS}> .
@prefix : <urn:a#> .
:trade a skos:Concept ; skos:prefLabel "trade"@en, "Handel"@de ; skos:narrower :port .
:port a skos:Concept ; skos:prefLabel "port"@en ; skos:altLabel "harbour"@en-GB, '''haven''' ;
    skos:broader :trade , [ skos:prefLabel "place" ] .
:scheme a skos:ConceptScheme . # a comment
"""
_XML = f"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE rdf:RDF [<!ENTITY skos "{_SKOS}">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="&skos;">
<skos:Concept rdf:about="urn:a#trade"><skos:prefLabel xml:lang="en">trade</skos:prefLabel>
<skos:narrower rdf:resource="urn:a#port"/></skos:Concept>
<skos:Concept rdf:about="urn:a#port"><skos:prefLabel>port</skos:prefLabel>
<skos:broader><rdf:Description rdf:about="urn:a#trade"/></skos:broader></skos:Concept>
</rdf:RDF>
"""
_JSON_LD = f"""{{"@context": {{"skos": "{_SKOS}", "label": {{"@id": "skos:prefLabel",
"@language": "en"}}}}, "@graph": [{{"@id": "urn:a#trade", "@type": "skos:Concept",
"label": "trade", "skos:narrower": {{"@id": "urn:a#port"}}}}, {{"@id": "urn:a#port",
"label": ["port", "harbour"], "skos:broader": [{{"@id": "urn:a#trade"}}]}}]}}
"""
_SYNONYMS = "# ships\nport, harbour, haven\nsea\\, open, ocean => water\ntrade => commerce, trade\n"
_TEXT = "The trade of the port, a harbour by the open sea: Handel und Haven. "
_LANGUAGES = ("en", "de", "", "zh", "ja", "xx", "en-GB")


@cache
def _kept() -> bytes:
    """Return a vocabulary as this package keeps it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.txt"
        path.write_text(_SYNONYMS, "utf-8")
        return read_synonyms(path).to_json().encode()


@cache
def _whole() -> Mapping[str, bytes]:
    """Return vocabularies that are not damaged, by names of files."""
    files = {"a.txt": _SYNONYMS.encode(), "a.syn": _SYNONYMS.encode(), "kept.json": _kept()}
    if missing_package() is None:
        files |= {
            "a.ttl": _TURTLE.encode(),
            "a.rdf": _XML.encode(),
            "a.owl": _XML.encode(),
            "a.xml": _XML.encode(),
            "a.jsonld": _JSON_LD.encode(),
            "a.json": _JSON_LD.encode(),
        }
    return MappingProxyType(files)


def missing_package() -> str | None:
    """Return the package without which taxonomies are left out; None where it is installed."""
    return None if find_spec("rdflib") else "rdflib"


def read_vocabularies(chosen: random.Random) -> int:
    """Read vocabularies that are damaged: each can be searched, or is one sentence."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in rounds(chosen, _FILES):
            name = chosen.choice(list(_whole()))
            # A file of its own each: one that is unchanged is read once.
            path = Path(folder) / f"{number}-{name}"
            path.write_bytes(_damaged(name, chosen))
            try:
                vocabulary = load_vocabulary(path, chosen.choice(_LANGUAGES))
            except EsSimhashError as error:
                require_sentence(str(error))
            else:
                _search(vocabulary, chosen)
            count += 1
    return count


def _damaged(name: str, chosen: random.Random) -> bytes:
    data, action = _whole()[name], chosen.randrange(4)
    if action == 0:
        return spliced(data, chosen.choice(list(_whole().values())), chosen)
    if action == 1:
        return changed(data.decode(), chosen).encode("utf-8", "surrogatepass")
    if action == 2:
        word = chosen.choice(["port", "trade", "label", "en", "urn:a#port", "broader"])
        hostile = hostile_text(chosen).encode("utf-8", "surrogatepass")
        return data.replace(word.encode(), hostile, chosen.randrange(1, 4))
    return damaged(data, chosen)


def _search(vocabulary: Vocabulary, chosen: random.Random) -> None:
    """Find the concepts of texts; what is kept of a vocabulary is the same vocabulary."""
    for problem in vocabulary.problems:
        require_sentence(problem)
    language = chosen.choice(_LANGUAGES)
    for text in (_TEXT, hostile_text(chosen)):
        for match in vocabulary.find(text, language):
            assert match.id in vocabulary.concepts
            assert all(0 <= start < end <= len(text) for start, end in match.spans), match
    with suppress(UnicodeEncodeError):
        kept = vocabulary.to_json().encode().decode()
        assert Vocabulary.from_json(kept).concepts == vocabulary.concepts
