"""Texts of families, as the tests over an index have them."""

from collections.abc import Callable

import pytest

from tests.support.shelf import revised, text


@pytest.fixture
def make_text() -> Callable[..., str]:
    """Make a text by its seed and number of words."""
    return text


@pytest.fixture
def revise() -> Callable[..., str]:
    """Make a version of a text."""
    return revised
