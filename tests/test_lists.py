"""Lists and tables of the documentation are shown as such on the site, none run together."""

import re

import markdown
import pytest

from scripts.build_site import ROOT
from scripts.page_words import GENERATED, pages

# Those of mkdocs.yml that decide where a list begins.
EXTENSIONS = (
    *("md_in_html", "tables", "pymdownx.superfences", "pymdownx.betterem"),
    "mdx_truly_sane_lists",
)
SANE = {"mdx_truly_sane_lists": {"nested_indent": 2, "truly_sane": True}}


def rendered(text: str) -> tuple[int, int]:
    """Return how many items of lists and tables a text is shown with."""
    html = markdown.markdown(text, extensions=EXTENSIONS, extension_configs=SANE)
    return html.count("<li>"), html.count("<table>")


def written(text: str) -> tuple[int, int]:
    """Return how many items of lists and tables a text is written with."""
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.M | re.S)
    items = re.findall(r"^\s*(?:- |\d+\. )", text, re.M)
    return len(items), len(re.findall(r"^\s*\| ?-{3}", text, re.M))


@pytest.mark.parametrize("page", [name for name in pages() if name not in GENERATED])
def test_lists_and_tables_of_a_page_are_shown_whole(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert rendered(text) == written(text)


def test_a_comment_at_the_beginning_of_a_line_ends_a_list() -> None:
    text = "- One is\n  <!-- figure: a -->0.1.\n- Two.\n"
    assert rendered(text) != written(text) == (2, 0)
