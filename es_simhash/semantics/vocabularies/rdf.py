"""RDF files as statements, parsed by rdflib without requests and without opening other files.

rdflib would fetch a JSON-LD context by its address; an XML document type can name entities outside
the file, or nested ones that expand. Such files are rejected before rdflib parses them.
"""

import json
import logging
import re
import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.parsers import expat

from es_simhash.errors import InputError, MissingExtra
from es_simhash.semantics.vocabularies.label_texts import decode, quoted, read_bytes

if TYPE_CHECKING:
    from rdflib import Graph

# Names of the formats in rdflib, and in messages.
TURTLE, XML, JSON_LD = "turtle", "xml", "json-ld"
_NAMES = {TURTLE: "Turtle", XML: "RDF/XML", JSON_LD: "JSON-LD"}
_SUFFIXES = {".ttl": TURTLE, ".rdf": XML, ".xml": XML, ".owl": XML}
_SUFFIXES |= {".jsonld": JSON_LD, ".json": JSON_LD}
# Where names without a base belong; rdflib would take the working directory.
_BASE = "urn:taxonomy"
# Entities of RDF/XML shorten the addresses of name spaces, which are shorter than this.
_LONGEST_ENTITY = 200


class Statement(NamedTuple):
    """Subject, predicate and value of a statement; the language when the value has one."""

    subject: str
    predicate: str
    value: str
    language: str


def read_statements(path: Path) -> Iterator[Statement]:
    """Yield the statements of a file in Turtle, RDF/XML or JSON-LD, by suffix or else by content.

    Raises:
        MissingExtra: rdflib is not installed.
        InputError: The file cannot be read, is not in the format, or refers to other files.
    """
    graph = _parse(path)
    # The whole store, since JSON-LD with an @id next to its @graph fills a graph of that name.
    for (subject, predicate, value), _ in graph.store.triples((None, None, None), None):
        language = getattr(value, "language", None) or ""
        yield Statement(str(subject), str(predicate), str(value), language)


def _parse(path: Path) -> "Graph":
    try:
        from rdflib import Graph  # an optional extra
    except ImportError as error:
        raise MissingExtra.of("taxonomy", "Reading a taxonomy needs rdflib") from error
    # What it notices about names quotes the file as it is, control characters included.
    logging.getLogger("rdflib.term").setLevel(logging.ERROR)
    content = read_bytes(path)
    kind = _SUFFIXES.get(path.suffix.lower()) or _kind_of(content)
    checked = BytesIO(_CHECKS[kind](content, path))
    try:
        with warnings.catch_warnings():
            # rdflib uses what it has deprecated itself.
            warnings.simplefilter("ignore", DeprecationWarning)
            return Graph().parse(checked, format=kind, publicID=_BASE)
    # Its parsers raise anything from SyntaxError to RecursionError.
    except Exception as error:
        raise _unreadable(path, kind, error) from error


def _kind_of(content: bytes) -> str:
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    if re.match(rb"<(\?xml|!|rdf:)", start):
        return XML
    return JSON_LD if re.match(rb"\{|\[\s*[\{\]]", start) else TURTLE


def _check_turtle(content: bytes, path: Path) -> bytes:
    return decode(content, path).encode()


def _check_xml(content: bytes, path: Path) -> bytes:
    """Return the content after rejecting external, nested and long entities."""
    parser = expat.ParserCreate()

    def reject_doctype(name: str, system: str | None, public: str | None, _: int) -> None:
        if system or public:
            raise InputError(
                f"{path} names a document type outside of it, {quoted(system or public or '')}, "
                "which is not opened: take out the DOCTYPE."
            )

    def reject_entity(name: str, is_parameter: int, value: str | None, *_: str | None) -> None:
        if value is None or is_parameter:
            raise InputError(
                f"{path} names the entity {quoted(name)} outside of it, which is not opened: "
                "put its text into the file."
            )
        if "&" in value or len(value) > _LONGEST_ENTITY:
            raise InputError(
                f"{path} has an entity {quoted(name)} that grows when it is put in: "
                "write its text where it is used."
            )

    parser.StartDoctypeDeclHandler = reject_doctype
    parser.EntityDeclHandler = reject_entity
    try:
        parser.Parse(content, True)
    # The other two stand for an encoding that it names, and Python has not, or not for XML.
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise _unreadable(path, XML, error) from error
    return content


def _check_json(content: bytes, path: Path) -> bytes:
    """Return the parsed content as JSON after rejecting remote contexts."""
    try:
        parsed = json.loads(decode(content, path))
        pending = [parsed]
        while pending:
            value = pending.pop()
            if isinstance(value, dict):
                _reject_remote(value.get("@context"), path)
                pending += value.values()
            elif isinstance(value, list):
                pending += value
        return json.dumps(parsed).encode()
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, JSON_LD, error) from error


def _reject_remote(context: Any, path: Path) -> None:
    for entry in context if isinstance(context, list) else [context]:
        remote = entry.get("@import") if isinstance(entry, dict) else entry
        if remote is not None:
            raise InputError(
                f"{path} refers to the context {quoted(str(remote))}, which is not fetched: "
                "put the context itself into the file."
            )


_CHECKS = {TURTLE: _check_turtle, XML: _check_xml, JSON_LD: _check_json}


def _unreadable(path: Path, kind: str, error: Exception) -> InputError:
    reason = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, RecursionError):
        reason = "it is nested too deeply"
    place = re.search(r"at line (\d+)", reason)
    where = f", line {place[1]}," if place else ""
    return InputError(f"{path}{where} is not {_NAMES[kind]}: {reason[:200].rstrip('.')}.")
