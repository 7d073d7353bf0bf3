"""How long the documentation is, in words that are read and in pages."""

import re

import pytest

from scripts.build_site import ROOT
from scripts.page_words import (
    GENERATED,
    MOST_PAGES,
    MOST_WORDS,
    Count,
    count,
    counts,
    main,
    pages,
)


def written() -> Count:
    """Return what is read of all pages but the generated ones."""
    found = counts([name for name in pages() if name not in GENERATED]).values()
    return Count(sum(each.words for each in found), sum(each.figures for each in found))


def test_code_comments_tags_and_addresses_are_no_words() -> None:
    text = (
        "# A heading of five words\n\n<!-- figure: a/b -->0.935 of [a link](page.md#anchor).\n"
        '<img src="a.png" alt="a picture">\n\n```sh\nes-simhash status x\n```\n\n'
        "- In a list\n\n  ```json\n  {}\n  ```\n\n| a | 2 |\n| --- | --- |\n\n[ref]: https://x.org\n"
    )
    assert count(text) == Count(words=5 + 3 + 3 + 1, figures=2)


def test_the_generated_reference_is_not_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(pages()) >= GENERATED
    assert main([]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(pages()) - len(GENERATED) + 2
    assert not any(name in line for name in GENERATED for line in printed)
    assert f"{written().words:,} words" in printed[-2]


def test_words_of_one_page_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs/start.md"]) == 0
    page = count((ROOT / "docs/start.md").read_text("utf-8"))
    expected = rf"{page.words:,} words +{page.figures:,} figures  docs/start\.md"
    assert re.search(expected, capsys.readouterr().out)


def test_the_documentation_is_short() -> None:
    assert written().words <= MOST_WORDS, "python -m scripts.page_words names the longest pages"
    assert len(pages()) - len(GENERATED) <= MOST_PAGES
