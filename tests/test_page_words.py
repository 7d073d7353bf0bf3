"""How long the documentation is, in words that are read and in pages."""

import pytest

from scripts.build_site import ROOT
from scripts.page_words import GENERATED, counts, main, pages, words_of


def test_code_comments_tags_and_addresses_are_no_words() -> None:
    text = (
        "# A heading of five words\n\n<!-- figure: a/b -->0.935 of [a link](page.md#anchor).\n"
        '<img src="a.png" alt="a picture">\n\n```sh\nes-simhash status x\n```\n\n'
        "- In a list\n\n  ```json\n  {}\n  ```\n\n| a | 2 |\n| --- | --- |\n\n[ref]: https://x.org\n"
    )
    assert words_of(text) == 5 + 4 + 3 + 2


def test_the_generated_reference_is_not_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(pages()) >= GENERATED
    assert main([]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(pages()) - len(GENERATED) + 1
    assert not any(name in line for name in GENERATED for line in printed)
    total = sum(counts([name for name in pages() if name not in GENERATED]).values())
    assert printed[-1].startswith(f"{total:,}  words on {len(printed) - 1} pages")


def test_words_of_one_page_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs/start.md"]) == 0
    words = words_of((ROOT / "docs/start.md").read_text("utf-8"))
    assert f"{words:,}  docs/start.md" in capsys.readouterr().out
