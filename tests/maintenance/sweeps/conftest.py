"""The index of these tests is one that is swept."""

import pytest

from tests.support.swept import SweptIndex


@pytest.fixture
def index(swept_index: SweptIndex) -> SweptIndex:
    """An index that a user's own program writes to."""
    return swept_index
