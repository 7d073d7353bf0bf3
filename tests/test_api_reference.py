"""docs/api.md is what the docstrings say, and every function has an example that is run."""

import re

from tests.support.api_reference import PAGE, reference, unused


def without_signatures(page: str) -> str:
    """The page without signatures, which versions of Python write in different ways."""
    return re.sub(r"```text\n.*?\n```\n", "", page, flags=re.DOTALL)


def test_the_page_is_up_to_date() -> None:
    assert without_signatures(PAGE.read_text("utf-8")) == without_signatures(reference()), (
        "run make docs"
    )


def test_every_function_and_method_has_an_example() -> None:
    assert unused() == []
