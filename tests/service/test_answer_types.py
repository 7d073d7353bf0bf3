"""What is answered is encoded as it is typed."""

import json

import numpy as np
import pytest

from es_simhash.relation.relation import DocumentContext
from es_simhash.service.answer_types import Document, encoded, plain


def test_an_answer_is_encoded_with_all_its_members() -> None:
    answer = Document("ü", DocumentContext(title="</script>"), {"n": np.float64(0.5)})
    assert json.loads(encoded(answer)) == plain(answer)
    assert plain(answer)["document"]["date"] is None
    assert "ü" in encoded(answer).decode()


@pytest.mark.parametrize("value", [10**30, -(10**30), "\ud800", np.int64(3)])
def test_fields_of_documents_may_have_what_is_no_json_elsewhere(value: object) -> None:
    answer = Document("a", DocumentContext(), {"n": value})
    assert json.loads(encoded(answer))["source"] == {"n": value}


def test_what_no_answer_has_is_an_error() -> None:
    with pytest.raises(TypeError):
        encoded({"a": object()})
