import socket
from pathlib import Path

import pytest

from es_simhash.errors import NodeError
from es_simhash.local_node import lifecycle, settings
from es_simhash.store.home_folder import home_folder


def test_home_is_the_folder_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "a" / ".." / "b"))
    assert home_folder() == tmp_path.resolve() / "b"


@pytest.mark.parametrize("version", ["9", "nine", "9.5", "9.5.3; rm", "../9.5.3"])
def test_what_is_no_version_is_refused_with_the_versions_there_are(version: str) -> None:
    with pytest.raises(NodeError, match=r"9\.5\.3 \(default\) and 8\.19\.21"):
        settings.check_version(version)


@pytest.mark.parametrize("heap", ["1", "g", "0g", "1 g", "-1g", "1g -Xfoo"])
def test_what_is_no_heap_size_is_refused(heap: str) -> None:
    with pytest.raises(NodeError, match="heap must be a number with m or g"):
        lifecycle.start(heap=heap)


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "-x", "a b"])
def test_a_name_that_is_no_folder_is_refused(name: str) -> None:
    with pytest.raises(NodeError, match="name must begin with a letter or digit"):
        lifecycle.status(name)


def test_a_port_in_use_is_refused_and_avoided(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        with pytest.raises(NodeError, match=f"Port {taken} is in use"):
            settings.choose_port(taken)
        monkeypatch.setattr(settings, "DEFAULT_PORT", taken)
        assert settings.choose_port(None) != taken
    assert settings.choose_port(taken) == taken


@pytest.mark.parametrize(("version", "java"), [("9.5.3", 21), ("8.19.21", 17), ("10.0.0", 21)])
def test_each_version_has_its_oldest_java(version: str, java: int) -> None:
    assert settings.minimum_java(version) == java


def test_a_damaged_record_counts_as_none(tmp_path: Path) -> None:
    record = settings.NodeRecord("9.5.3", 9200, "1g")
    path = tmp_path / "node.json"
    assert settings.read_record(path) is None
    record.write(path)
    assert settings.read_record(path) == record
    path.write_text('{"version": "9.5.3"')
    assert settings.read_record(path) is None


def test_the_node_listens_on_loopback_only(tmp_path: Path) -> None:
    text = settings.render_yml("a", settings.NodePaths(tmp_path), 9200)
    assert 'network.host: "127.0.0.1"\n' in text
    assert 'discovery.type: "single-node"\n' in text
