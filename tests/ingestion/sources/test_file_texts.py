"""Folders of PDF, Word and HTML: texts, pages, and what is broken, encrypted or a bomb."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import InputError, MissingExtra
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.sources import file_texts
from es_simhash.ingestion.sources.file_texts import Kind, extracted
from tests.ingestion.sources.test_source_formats import read, rows_of, source

MARKUP = "http://schemas.openxmlformats.org"
PAGE = (
    "<html><head><title>T</title>{head}</head><body><nav><ul><li><a href='a'>Start</a></li>"
    "<li><a href='b'>Imprint</a></li></ul></nav><article><h1>{title}</h1><p>{text}</p></article>"
    "<footer>Copyright</footer><script>alert(1)</script></body></html>"
)


def pdf(pages: list[str], *, encrypted: bool = False) -> bytes:
    fpdf = pytest.importorskip("fpdf")
    document = fpdf.FPDF()
    document.set_font("Helvetica", size=11)
    if encrypted:
        pytest.importorskip("cryptography")
        document.set_encryption(owner_password="o", user_password="secret")
    for page in pages:
        document.add_page()
        document.multi_cell(0, 6, page)
    return bytes(document.output())


def word(body: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{MARKUP}/wordprocessingml/2006/main" '
            f'xmlns:mc="{MARKUP}/markup-compatibility/2006"><w:body>{body}</w:body></w:document>',
        )
    return file.getvalue()


def paragraph(*texts: str) -> str:
    runs = "".join(f"<w:r><w:t>{text}</w:t></w:r>" for text in texts)
    return f"<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>{runs}</w:p>"


@pytest.mark.long
def test_pages_of_a_pdf_are_kept() -> None:
    pytest.importorskip("pypdf")
    found = extracted("pdf", pdf(["The first page.", "The second page.", "The third."]))
    assert found.pages is not None
    ends = [*found.pages[1:], None]
    pages = [found.text[start:end].strip() for start, end in zip(found.pages, ends, strict=True)]
    assert pages == ["The first page.", "The second page.", "The third."]


def test_paragraphs_of_a_word_file_are_kept() -> None:
    inserted = "<w:ins><w:r><w:t> inserted</w:t></w:r></w:ins>"
    deleted = "<w:del><w:r><w:delText> deleted</w:delText></w:r></w:del>"
    table = f"<w:tbl><w:tr><w:tc>{paragraph('cell')}</w:tc></w:tr></w:tbl>"
    again = f"<mc:Fallback>{paragraph('twice')}</mc:Fallback>"
    body = (
        f"{paragraph('One ', 'text.')}<w:p><w:r><w:t>Two</w:t><w:tab/><w:t>b</w:t><w:br/></w:r>"
        f"{inserted}{deleted}</w:p>{table}{again}{paragraph()}"
    )
    assert extracted("word", word(body)).text == "One text.\n\nTwo\tb\n inserted\n\ncell"


def test_moved_text_of_a_word_file_is_there_once_and_its_hyphens_are_kept() -> None:
    run = "<w:r><w:t>COVID</w:t><w:noBreakHyphen/><w:t>19</w:t></w:r>"
    body = f"<w:p><w:moveFrom>{run}</w:moveFrom></w:p><w:p><w:moveTo>{run}</w:moveTo></w:p>"
    assert extracted("word", word(body)).text == "COVID-19"


@pytest.mark.parametrize(
    ("encoding", "head", "text"),
    [
        ("utf-8", "<meta charset='utf-8'>", "Ein Text über Häuser und Straßen."),
        ("shift_jis", "<meta charset='shift_jis'>", "これは日本語の文章です。会社の規則を定める。"),
        ("shift_jis", "", "これは日本語の文章です。会社の規則を定める。株主総会は毎年開かれる。"),
    ],
)
def test_a_page_has_its_text_in_any_encoding(encoding: str, head: str, text: str) -> None:
    pytest.importorskip("trafilatura")
    page = PAGE.format(head=head, title=text[:6], text=text * 3)
    found = extracted("html", page.encode(encoding)).text
    assert text in found
    assert "alert" not in found
    assert "Copyright" not in found


def test_what_cannot_be_read_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pypdf")
    whole = pdf(["A page of some words."])
    broken: list[tuple[Kind, bytes, str]] = [
        ("pdf", b"%PDF-1.4 nothing", "The file is damaged"),
        ("pdf", b"", "The file is damaged"),
        ("pdf", pdf([""]), "It may be scanned"),
        ("pdf", pdf(["Words."], encrypted=True), "The PDF is encrypted"),
        ("word", b"PK\x03\x04", "The file is damaged"),
        ("word", word(paragraph("x"))[:-9], "The file is damaged"),
        ("word", word("<w:p>"), "The file is damaged"),
        ("word", word(""), "The file has no text."),
        ("word", word("<!DOCTYPE x>"), "document type"),
    ]
    for kind, content, reason in broken:
        with pytest.raises(InputError, match=reason):
            extracted(kind, content)
    from pypdf import PageObject

    def fail(page: Any) -> str:
        raise KeyError("font")

    monkeypatch.setattr(PageObject, "extract_text", fail)
    with pytest.raises(InputError, match="Page 1 cannot be read"):
        extracted("pdf", whole)


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_texts, "_MAX_UNPACKED", 1 << 16)
    bomb = word(paragraph("x" * (1 << 24)))
    assert len(bomb) < 1 << 16
    with pytest.raises(InputError, match="unpacks to more than"):
        extracted("word", bomb)


@pytest.mark.parametrize(("kind", "package"), [("pdf", "pypdf"), ("html", "trafilatura")])
def test_a_missing_package_is_named(
    kind: Kind, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(MissingExtra, match=rf"need {package}"):
        extracted(kind, b"content")


def filled(folder: Path, count: int, broken: Callable[[int], bool]) -> None:
    """Write a folder of PDFs of which some are cut off."""
    for number in range(count):
        content = pdf([f"Contract {number} about the sale of {number} houses."])
        path = folder / f"sub{number % 3}" / f"{number:03}.pdf"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content[:300] if broken(number) else content)


def test_a_folder_is_read_and_what_is_broken_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    filled(tmp_path, 50, lambda number: number == 7)
    (tmp_path / "note.txt").write_text("A note.", "utf-8")
    (tmp_path / "letter.docx").write_bytes(word(paragraph("A letter.")))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    batches = list(source(tmp_path).batches(BatchLimits(10), None))
    rows = read(batches)
    assert len(rows) == 52
    failed = [row for row in rows if row[0] == "failed"]
    assert len(failed) == 1
    by_id = {row[0]: row for row in rows}
    assert by_id["letter.docx"][1:] == ("A letter.", {"text": "A letter."})
    assert by_id["note.txt"][1] == "A note."
    assert by_id["sub2/008.pdf"][2]["pages"] == [0]
    places = [
        batch.location(document.position)[0]
        for batch in batches
        for document in batch.documents(file_config())
        if not hasattr(document, "text")
    ]
    assert places == [str(tmp_path / "sub1" / "007.pdf")]


def file_config() -> Any:
    from es_simhash.store.config import IndexConfig

    return IndexConfig()


def test_a_single_file_is_known_by_its_content(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    (tmp_path / "scan").write_bytes(pdf(["One page."]))
    ((id, text, fields),) = rows_of(tmp_path / "scan")
    assert (id, text, fields["pages"]) == ("scan", "One page.", [0])
