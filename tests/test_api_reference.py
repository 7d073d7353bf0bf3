"""docs/api.md is what the docstrings say, and every function has an example that is run."""

import doctest
import re

from tests.support.api_reference import NAMESPACES, PAGE, reference, unused
from tests.support.page_blocks import blocks


def without_signatures(page: str) -> str:
    """The page without signatures, which versions of Python write in different ways."""
    return re.sub(r"```text\n.*?\n```\n", "", page, flags=re.DOTALL)


def test_the_page_is_up_to_date() -> None:
    assert without_signatures(PAGE.read_text("utf-8")) == without_signatures(reference()), (
        "run make docs"
    )


def test_every_function_and_method_has_an_example() -> None:
    assert unused() == []


def test_the_sessions_of_the_page_give_what_they_show() -> None:
    sessions = [block for block in blocks("docs/api.md") if block.language == "pycon"]
    assert len(sessions) > 2
    for block in sessions:
        names = {name: getattr(module, name) for module in NAMESPACES for name in module.__all__}
        test = doctest.DocTestParser().get_doctest(block.body, names, block.page, None, block.line)
        result = doctest.DocTestRunner().run(test)
        assert result.attempted
        assert not result.failed
