"""NOTICE names every data file that is shipped, with its source and its licence, and no other."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTICE = (ROOT / "NOTICE").read_text("utf-8")
PATH = re.compile(r"^(?:\d+\. |   )((?:es_simhash|ingest|mappings|widget)/\S+)$", re.MULTILINE)
SECTIONS = re.findall(r"^\d+\. .+\n(?:   .+\n)+", NOTICE, re.MULTILINE)
# The pipeline has tables of characters in it.
DATA = [
    ROOT / "ingest" / "simhash@pipeline.json",
    *(
        path
        for folder in (ROOT / "es_simhash").rglob("data")
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    ),
]


def sections_of(path: str) -> list[str]:
    """Return the sections that name a file, or a folder that it is in."""
    return [
        section
        for section in SECTIONS
        if any(
            path == named or (named.endswith("/") and path.startswith(named))
            for named in PATH.findall(section)
        )
    ]


@pytest.mark.parametrize("path", sorted(path.relative_to(ROOT).as_posix() for path in DATA))
def test_a_data_file_is_named_once_with_its_source_and_its_licence(path: str) -> None:
    (section,) = sections_of(path)
    assert re.search(r"^   Source: \w", section, re.MULTILINE)
    (licence,) = re.findall(r"^   Licence: (.+)$", section, re.MULTILINE)
    for name in ("MIT License", "Unicode License V3"):
        if name in licence:
            assert f"\n{name}\n\n".lower() in NOTICE.lower()


def test_every_path_that_is_named_is_one_of_the_files() -> None:
    files = {path.relative_to(ROOT).as_posix() for path in DATA}
    named = PATH.findall(NOTICE)
    assert len(named) > 10
    for path in named:
        assert any(file == path or file.startswith(path) for file in files), path
    for script in re.findall(r"\b(?:scripts|tests)/\w[\w/]*\.py\b", NOTICE):
        assert (ROOT / script).is_file(), script
