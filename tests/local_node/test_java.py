import shutil
from pathlib import Path

import pytest

from es_simhash.errors import NodeError
from es_simhash.local_node import distribution, java

RELEASES = {17: 'JAVA_VERSION="17.0.15"', 21: 'JAVA_VERSION="21"', 8: 'JAVA_VERSION="1.8.0_392"'}


@pytest.fixture
def jvm_folder(open_tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for JDKs, with nothing in the environment that names another one."""
    for variable in ("ES_JAVA_HOME", "JAVA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    empty = open_tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    return open_tmp_path / "jvm"


def _make_java(home: Path, major: int) -> Path:
    command = home / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    (home / "release").write_text(f'IMPLEMENTOR="x"\n{RELEASES[major]}\n')
    return home


def test_the_oldest_java_that_will_do_is_taken(jvm_folder: Path) -> None:
    for major in RELEASES:
        _make_java(jvm_folder / f"jdk-{major}", major)
    patterns = [f"{jvm_folder}/*"]
    for minimum, major in [(8, 8), (9, 17), (17, 17), (18, 21)]:
        found = java.find_java(minimum, patterns=patterns)
        assert found == java.Java(jvm_folder / f"jdk-{major}", major)
    assert java.find_java(22, patterns=patterns) is None


def test_the_java_that_the_environment_names_comes_first(
    jvm_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_java(jvm_folder / "jdk-17", 17)
    named = _make_java(jvm_folder.parent / "mine", 21)
    monkeypatch.setenv("JAVA_HOME", str(named))
    assert java.find_java(17, patterns=[f"{jvm_folder}/*"]) == java.Java(named, 21)
    monkeypatch.setenv("ES_JAVA_HOME", str(jvm_folder / "absent"))
    assert java.find_java(17, patterns=[f"{jvm_folder}/*"]) == java.Java(named, 21)


def test_a_java_without_a_release_file_is_run_for_its_version(jvm_folder: Path) -> None:
    command = _make_java(jvm_folder / "old", 8) / "bin" / "java"
    (jvm_folder / "old" / "release").unlink()
    command.write_text("#!/bin/sh\necho 'openjdk version \"21.0.2\" 2024-01-16' >&2\n")
    assert java.find_java(21, patterns=[f"{jvm_folder}/*"]) == java.Java(jvm_folder / "old", 21)


def test_the_java_on_path_is_the_last_resort(
    jvm_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _make_java(jvm_folder / "elsewhere", 17)
    monkeypatch.setenv("PATH", str(home / "bin"))
    assert java.find_java(17, patterns=[]) == java.Java(home, 17)


def test_a_missing_java_says_what_to_install(jvm_folder: Path) -> None:
    _make_java(jvm_folder / "jdk-17", 17)
    with pytest.raises(NodeError, match=r"No JDK 21 or later .* openjdk-21-jdk-headless"):
        java.require_java(21, report=print, patterns=[f"{jvm_folder}/*"])


def test_a_missing_maven_says_what_to_install(
    jvm_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    some = java.Java(_make_java(jvm_folder / "jdk-21", 21), 21)
    with pytest.raises(NodeError, match="Install the package maven"):
        distribution.require_distribution("9.5.3", some, report=print)
    assert list((tmp_path / "home" / "distributions").iterdir()) == []


def test_a_damaged_zip_is_named(
    jvm_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    group = distribution.GROUP.replace(".", "/")
    archive = tmp_path / f".m2/repository/{group}/elasticsearch/1.2.3/elasticsearch-1.2.3.zip"
    archive.parent.mkdir(parents=True)
    archive.write_text("no zip")
    some = java.Java(jvm_folder, 21)
    with pytest.raises(NodeError, match=r"elasticsearch-1\.2\.3\.zip is damaged"):
        distribution.require_distribution("1.2.3", some, report=print)


@pytest.mark.cluster
@pytest.mark.skipif(shutil.which("mvn") is None, reason="no Maven")
def test_a_version_that_maven_central_lacks_is_named_with_those_it_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    some = java.find_java(17)
    if some is None:
        pytest.skip("no JDK 17 or later")
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path))
    with pytest.raises(NodeError) as caught:
        distribution.require_distribution("9.99.99", some, report=print)
    if "could not fetch" in str(caught.value):
        pytest.skip(f"no network: {caught.value}")
    assert "no Elasticsearch 9.99.99: available are 9.5.3" in str(caught.value)
