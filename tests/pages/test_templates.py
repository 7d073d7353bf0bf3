"""HTML is written in templates alone, and nothing in them is exempt from escaping."""

import re
from pathlib import Path

import pytest

import es_simhash
from es_simhash.pages.rendering import environment

FOLDER = Path(es_simhash.__file__).parent
TEMPLATES = sorted(FOLDER.rglob("templates/*.html"))
# A closing tag, wherever it is: markup that Python puts together.
MARKUP = re.compile(r"</\w+>")


def test_python_puts_no_markup_together() -> None:
    sources = {path: path.read_text("utf-8") for path in FOLDER.rglob("*.py")}
    assert [str(path) for path, source in sources.items() if MARKUP.search(source)] == []
    marking = [path for path, source in sources.items() if "markupsafe" in source]
    assert [path.relative_to(FOLDER).as_posix() for path in marking] == ["pages/rendering.py"]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_escapes_all_and_has_no_styles_or_scripts_of_its_own(path: Path) -> None:
    source = path.read_text("utf-8")
    environment().parse(source)
    assert not re.search(r"\|\s*safe\b|autoescape", source)
    assert not re.search(r"\bstyle=|\bon\w+=", source)
    assert not re.search(r"<script(?! src=\"/)", source)
