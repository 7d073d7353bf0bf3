"""Texts of files that are no plain text: PDF, Word and HTML."""

import io
import logging
import zipfile
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any, Literal, NamedTuple
from xml.etree import ElementTree

from es_simhash.errors import InputError, MissingExtra
from es_simhash.text.escaping import one_line
from es_simhash.text.limits import MAX_TEXT_BYTES, MEBIBYTE

_HTML = (".html", ".htm", ".xhtml")
# A file is read as a whole; one with a text of the greatest length is seldom larger.
MAX_FILE_BYTES = 16 * MAX_TEXT_BYTES
# What a packed part of a Word file may unpack to: markup is several times as long as its text.
_MAX_UNPACKED = 8 * MAX_TEXT_BYTES
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# A second form of what is there already, what a tracked move took away from here, and the format
# of a paragraph: its tabs are no text.
_LEFT_OUT = (
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    f"{_WORD}moveFrom",
    f"{_WORD}pPr",
)
# Elements that are characters.
_CHARACTERS = {
    f"{_WORD}tab": "\t",
    f"{_WORD}br": "\n",
    f"{_WORD}cr": "\n",
    f"{_WORD}noBreakHyphen": "-",
}


class FileText(NamedTuple):
    """The text of a file.

    Attributes:
        text: The text; paragraphs and pages are parted by blank lines.
        pages: Where each page begins, in characters; None where a file has no pages.
    """

    text: str
    pages: list[int] | None = None


Kind = Literal["pdf", "word", "html"]


def kind_of(name: str, head: bytes = b"") -> Kind | None:
    """Return what a file is; None for plain text, or for what is no text.

    Args:
        name: Its name.
        head: Its first bytes, which say it where the name does not.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix in _HTML:
        return "html"
    if suffix == ".docx":
        return "word"
    return "pdf" if suffix == ".pdf" or head.startswith(b"%PDF-") else None


def extracted(kind: Kind, content: bytes) -> FileText:
    """Return the text of a PDF, a Word file or a page of HTML.

    Args:
        kind: What it is.
        content: Its bytes.

    Raises:
        InputError: It is damaged, encrypted, or has no text.
        MissingExtra: The package that reads it is not installed.
    """
    try:
        found = _READERS[kind](content)
    except (InputError, MissingExtra):
        raise
    except Exception as error:  # whatever a library raises for a damaged file
        raise InputError(f"The file is damaged ({_reason(error)}).") from error
    if not found.text.strip():
        scanned = " It may be scanned: recognise its text first." if kind == "pdf" else ""
        raise InputError(f"The file has no text.{scanned}")
    return found


def _reason(error: Exception) -> str:
    return one_line(str(error))[:200] or type(error).__name__


def _pdf_text(content: bytes) -> FileText:
    try:
        import pypdf
        from pypdf.errors import DependencyError
    except ImportError as error:
        raise _missing("PDF files", "pypdf") from error
    # It reports what it repairs.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = pypdf.PdfReader(io.BytesIO(content))
    try:
        # Many are encrypted with no password, against changes alone.
        is_closed = reader.is_encrypted and not reader.decrypt("")
    except DependencyError:
        is_closed = True
    if is_closed:
        raise InputError("The PDF is encrypted. Save it without a password.")
    starts, parts, length = [], [], 0
    for page in _pages(reader):
        starts.append(length)
        parts.append(page)
        length += len(page) + 2
    return FileText("\n\n".join(parts), starts)


def _pages(reader: Any) -> Iterator[str]:
    for number, page in enumerate(reader.pages, 1):
        try:
            yield page.extract_text().strip()
        except Exception as error:  # of one page nothing may be lost either
            raise InputError(f"Page {number} cannot be read ({_reason(error)}).") from error


def _word_text(content: bytes) -> FileText:
    """Return the paragraphs of a Word file, those of tables and tracked insertions among them."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed, packed.open("word/document.xml") as part:
        unpacked = part.read(_MAX_UNPACKED + 1)
    if len(unpacked) > _MAX_UNPACKED:
        raise InputError(
            f"The file unpacks to more than {_MAX_UNPACKED // MEBIBYTE} MiB. Split it into parts."
        )
    # A Word file declares no entities; those of others could unpack as well.
    if b"<!DOCTYPE" in unpacked[:MEBIBYTE]:
        raise InputError("The file declares a document type, which no Word file does.")
    paragraphs: list[list[str]] = []
    _add_paragraphs(ElementTree.fromstring(unpacked), paragraphs)
    texts = ("".join(pieces).strip() for pieces in paragraphs)
    return FileText("\n\n".join(filter(None, texts)))


def _add_paragraphs(element: Any, paragraphs: list[list[str]]) -> None:
    """Add the pieces of each paragraph; one may have hundreds of thousands."""
    # Without recursion: markup may be nested deeply.
    waiting = [element]
    while waiting:
        inner = waiting.pop()
        tag = inner.tag
        if tag in _LEFT_OUT:
            continue
        if tag == f"{_WORD}p":
            paragraphs.append([])
        elif not paragraphs:
            pass
        elif tag == f"{_WORD}t":
            paragraphs[-1].append(inner.text or "")
        elif tag in _CHARACTERS:
            paragraphs[-1].append(_CHARACTERS[tag])
        waiting.extend(reversed(inner))


def _html_text(content: bytes) -> FileText:
    try:
        import trafilatura
    except ImportError as error:
        raise _missing("Pages of HTML", "trafilatura") from error
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    # Bytes, so that the page itself says in which encoding it is.
    found = trafilatura.extract(content, include_comments=False, favor_recall=True)
    return FileText(str(found or trafilatura.html2txt(content) or ""))


def _missing(what: str, package: str) -> MissingExtra:
    return MissingExtra.of("files", f"{what} need {package}")


_READERS: dict[Kind, Callable[[bytes], FileText]] = {
    "pdf": _pdf_text,
    "word": _word_text,
    "html": _html_text,
}
