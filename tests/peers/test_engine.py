"""The processor time of an engine, which reads its own once a second."""

from typing import Any

import pytest

from es_simhash.errors import ClusterError
from tests.bench.peers import engine as engine_module
from tests.bench.peers.engine import Engine, Engines


class Recorded:
    """An engine that notes what it answers about its nodes; `is_stuck`, it reads nothing anew."""

    def __init__(self, url: str, *, is_stuck: bool = False) -> None:
        self.engine = Engine(self.send)
        self.nodes: list[Any] = []
        self._real = Engines(url).open("Elasticsearch")
        self._is_stuck = is_stuck

    def send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        answer = self._real.send(method, path, body, headers)
        (node,) = answer["nodes"].values()
        if self._is_stuck:
            first = self.nodes[0] if self.nodes else node
            node["process"]["timestamp"] = first["timestamp"] - 1
        self.nodes.append(node)
        return answer


@pytest.mark.cluster
def test_processor_time_is_read_after_it_was_requested(cluster_url: str) -> None:
    Engines(cluster_url).open("Elasticsearch").cpu_seconds()
    recorded = Recorded(cluster_url)
    seconds = recorded.engine.cpu_seconds()
    first, last = recorded.nodes[0], recorded.nodes[-1]
    assert last["process"]["timestamp"] >= first["timestamp"]
    assert seconds == last["process"]["cpu"]["total_in_millis"] / 1000


@pytest.mark.cluster
def test_a_node_that_does_not_read_its_processor_time_is_an_error(
    cluster_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "_SETTLED", 0.3)
    recorded = Recorded(cluster_url, is_stuck=True)
    with pytest.raises(ClusterError, match=r"^Node '[^']+' .* 0\.3 s.* Run it again\.$"):
        recorded.engine.cpu_seconds()
    assert len(recorded.nodes) > 1
