"""The locks of the images are those of pyproject.toml; told without a network."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import lock_images
from scripts.lock_images import lock_path, recorded, requirements
from tests.docker.test_images import METADATA

NEEDED = requirements(METADATA)
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)((?:[^\n]*\\\n)(?: +--hash=\S+(?: \\)?\n)+)", re.M)


def pins(lock: str) -> dict[str, list[str]]:
    """Return the locked versions of each package; several where Pythons differ."""
    found: dict[str, list[str]] = {}
    for name, version, _ in PINNED.findall(lock):
        found.setdefault(canonicalize_name(name), []).append(version)
    return found


@pytest.mark.parametrize("name", NEEDED)
def test_a_lock_was_made_for_what_the_package_requires(name: str) -> None:
    lock = lock_path(name).read_text("utf-8")
    assert recorded(lock) == NEEDED[name], "run `make docker-lock`"
    locked = pins(lock)
    for line in NEEDED[name]:
        requirement = Requirement(line)
        if requirement.marker is not None and not requirement.marker.evaluate(
            {"python_version": lock_images.OLDEST_PYTHON}
        ):
            continue
        for version in locked[canonicalize_name(requirement.name)]:
            assert requirement.specifier.contains(version), line
    # Every package of a lock has hashes, none is left out above.
    assert sum(map(len, locked.values())) == len(re.findall(r"==\S+ (?:;|\\)", lock))
    assert all(re.fullmatch("[0-9a-f]{64}", hash) for hash in re.findall(r"sha256:(\S+)", lock))


def test_both_images_have_the_same_versions() -> None:
    service, ingest = (pins(lock_path(name).read_text("utf-8")) for name in ("service", "ingest"))
    assert ingest.items() <= service.items()


def test_another_requirement_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_images, "FOLDER", tmp_path)
    kept = (lock_images.ROOT / "docker" / "locks" / "ingest.txt").read_text("utf-8")
    (tmp_path / "ingest.txt").write_text(kept.replace("requires click>=8.2", "requires click>=7"))
    with pytest.raises(AssertionError, match="make docker-lock"):
        test_a_lock_was_made_for_what_the_package_requires("ingest")
    (tmp_path / "ingest.txt").write_text(kept.replace("click==8", "click==7"))
    with pytest.raises(AssertionError, match=r"click>=8\.2"):
        test_a_lock_was_made_for_what_the_package_requires("ingest")
    (tmp_path / "ingest.txt").write_text(re.sub(r"(click==\S+) \\\n.*\n.*\n", r"\1\n", kept))
    with pytest.raises((AssertionError, KeyError)):
        test_a_lock_was_made_for_what_the_package_requires("ingest")
