"""An index in which something is measured: it is gone afterwards, whatever happened."""

from typing import Any

import pytest

from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.trial_index import TrialIndex

pytestmark = pytest.mark.cluster


def test_it_takes_documents_says_their_size_and_is_deleted(client: Any) -> None:
    with TrialIndex(Gateway.of(client), None) as trial:
        assert trial.name.startswith("es-simhash-plan-")
        assert trial.write([(str(n), b'{"text":"a"}') for n in range(10)]) > 0
        assert trial.stored() > 0
        assert client.count(index=trial.name)["count"] == 10
        assert "simhash" in str(client.indices.get_mapping(index=trial.name))
    assert not client.indices.exists(index=trial.name)


def test_a_rejected_document_is_named_and_nothing_is_left(client: Any) -> None:
    trial = TrialIndex(Gateway.of(client), None, has_fields=False)
    documents = [("1", b'{"n": 1}'), ("2", b'{"n": {"a": 1}}')]
    with pytest.raises(ClusterError, match="Document '2' of the sample was rejected"), trial:
        trial.write(documents)
    assert not client.indices.exists(index=trial.name)
