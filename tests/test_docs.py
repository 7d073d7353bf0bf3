"""What docs/fingerprint.md and docs/guarantee.md say in numbers is computed again."""

import math
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import es_simhash
from es_simhash import types
from es_simhash.fingerprints import hashing
from es_simhash.fingerprints.blocks import block_sizes
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.relation.thresholds import QUERIED_SHINGLES
from es_simhash.store.conformance import describe
from tests.support import reference
from tests.test_architecture import ROOMS

DOCS = Path(__file__).resolve().parents[1] / "docs"
EXAMPLE = "The Straße is wet. Is it?"
# Thai, Lao, Myanmar, Khmer, Tai, kana and Han: docs/fingerprint.md, Character classes.
OWN_RANGES = re.compile(r"\b([0-9A-F]{4,5})–([0-9A-F]{4,5})\b")


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def rows(text: str, columns: int) -> list[list[str]]:
    """Return the cells of all table rows of so many columns, but for heads and rules."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [cells for cells in lines if len(cells) == columns and "---" not in cells[0]]


def number(cell: str) -> float:
    return float(cell.strip("*").replace(",", ""))


def in_hex(*values: int) -> list[str]:
    return [f"`{value:016x}`" for value in values]


def test_the_worked_example_has_real_values() -> None:
    text = page("fingerprint.md")
    found = describe(EXAMPLE)
    tokens = found["tokens"]
    numbers = [reference.token_number(token) for token in tokens]
    for run in reference.runs(numbers, 2):
        row = in_hex(run, reference.xxh64(run, 0), reference.xxh64(run, 1))
        assert " | ".join(row) in text
    for run in reference.runs(numbers, 4):
        hashed = reference.xxh64(run, 2)
        row = [*in_hex(run, hashed), f"`{hashed >> 40:06x}`", f"`{reference.term(hashed >> 40)}`"]
        assert " | ".join(row) in text
    for token, value in zip(tokens, numbers, strict=True):
        assert re.search(rf"\| `{token}` \| `\w{{16}}` \| `{value:016x}` \|", text)
    assert f"`{found['content_hash']}`" in text
    assert f"`{found['normalised']}`" in text
    stored = found["simhash"]
    assert f"`{stored['fingerprint']}`" in text
    assert f"`{' '.join(stored['blocks'])}`" in " ".join(text.split())
    assert f"`{' '.join(stored['shingles'])}`" in text
    assert f"`{stored['chunks']}`" in text
    assert found["chunks"][0]["fingerprint"] in text


def test_the_constant_and_the_scheme_of_the_page_are_those_of_the_code() -> None:
    text = page("fingerprint.md")
    assert f"0x{hashing.BASE:X}" in text
    assert f"\n{DEFAULT.name}\n" in text


def test_the_character_classes_follow_from_the_page() -> None:
    section = page("fingerprint.md").split("Class 2: ")[1].split("Hangul")[0]
    own = np.zeros(0x110000, bool)
    for first, last in OWN_RANGES.findall(section):
        own[int(first, 16) : int(last, 16) + 1] = True
    assert own.sum() > 90_000
    # The classes are those of Unicode 15.1; an older Python does not know the latest characters,
    # and a newer one knows more of them.
    is_older, is_newer = (unicode_version() < (15, 1), unicode_version() > (15, 1))
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        if (category == "Cn" and is_older) or (is_newer and not reference.CLASS[code]):
            continue
        expected = 0
        if category in ("Nd", "Pc"):
            expected = reference.WORD
        elif category[0] == "L" or category in ("Nl", "No"):
            expected = reference.OWN if own[code] else reference.WORD
        elif category == "Cf" or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF:
            expected = reference.IGNORED
        elif category[0] == "M":
            expected = reference.MARK
        assert reference.CLASS[code] == expected, hex(code)


@pytest.mark.long
def test_later_characters_are_those_unicode_13_does_not_assign() -> None:
    # Unicode 13 has 143,859 characters, 65 controls, 2,048 surrogates and 137,468 for private use.
    assert sum(reference.LATER) == 0x110000 - 143_859 - 65 - 2_048 - 137_468
    for code in range(0x110000):
        is_assigned = unicodedata.category(chr(code)) != "Cn"
        # Python 3.10 has Unicode 13; a later one assigns more.
        assert is_assigned or reference.LATER[code], hex(code)
        if unicode_version() == (13, 0):
            assert bool(reference.LATER[code]) is not is_assigned, hex(code)


def unicode_version() -> tuple[int, ...]:
    """Return the version of Unicode that this Python knows, without its last part."""
    return tuple(map(int, unicodedata.unidata_version.split(".")[:2]))


def test_the_table_of_false_candidates() -> None:
    table = [row for row in rows(page("guarantee.md"), 6) if row[0].strip("*").isdigit()]
    assert len(table) == 15
    for cells in table:
        bits, blocks, k, asked = (int(number(cells[column])) for column in (0, 1, 3, 4))
        sizes = block_sizes(bits, blocks)
        assert cells[2].strip("*") in (str(sizes[0]), f"{sizes[-1]}–{sizes[0]}")
        assert asked == blocks - k
        expected = 1e6 * chance_of_equal_blocks(sizes, asked)
        if cells[5].startswith("<"):
            assert expected < 1e-15
        else:
            assert number(cells[5]) == pytest.approx(expected, rel=0.2)
        bound = math.comb(blocks, asked) * 2.0 ** -(sizes[-1] * asked)
        assert expected <= 1e6 * bound * (1 + 1e-9)


def chance_of_equal_blocks(sizes: list[int], least: int) -> float:
    chances = np.array([1.0])
    for size in sizes:
        chances = np.convolve(chances, [1 - 2.0**-size, 2.0**-size])
    return float(chances[least:].sum())


def test_the_table_of_chance_hits() -> None:
    table = [row for row in rows(page("guarantee.md"), 5) if number_or_none(row[4]) is not None]
    chance_hits = [cells for cells in table if number(cells[2]) >= 100_000]
    assert len(chance_hits) == 5
    for cells in chance_hits:
        one, other, documents, share_one, share_two = (number(cell) for cell in cells)
        mean = one * other / 2**24
        assert share_one == pytest.approx(documents * -math.expm1(-mean), rel=0.02)
        two = documents * (1 - math.exp(-mean) * (1 + mean))
        assert share_two == pytest.approx(two, rel=0.06)


def number_or_none(cell: str) -> float | None:
    try:
        return number(cell)
    except ValueError:
        return None


def test_the_table_of_the_error_of_samples() -> None:
    asked = QUERIED_SHINGLES
    assert f"n = {asked}" in page("guarantee.md")
    table = [row for row in rows(page("guarantee.md"), 5) if row[0] in ("1,000", "5,000", "20,000")]
    assert len(table) == 3
    for cells in table:
        shingles = number(cells[0])
        rest = (shingles - asked) / (shingles - 1)
        for share, cell in zip((0.05, 0.2, 0.5, 0.9), cells[1:], strict=True):
            error = math.sqrt(share * (1 - share) / asked * rest)
            assert float(cell) == pytest.approx(error, abs=0.0006)


ROOT = DOCS.parent
# A placeholder for a language, and the data beside the repository.
NO_FILES = {"semantics/data/rarity_XX.txt.gz", "shared/data"}


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_the_map_names_files_that_are_there(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    paths = set(re.findall(r"`([a-z_]+/[\w@./*]+)`", text)) - NO_FILES
    assert len(paths) > 10
    missing = [
        path
        for path in paths
        if not any(
            list(folder.glob(f"{path.rstrip('/')}{suffix}"))
            for folder in (ROOT, ROOT / "es_simhash")
            for suffix in ("", ".py")
        )
    ]
    assert missing == []
    targets = re.findall(r"\]\(([^)#:]+)\)", text)
    assert [each for each in targets if not (ROOT / name).parent.joinpath(each).exists()] == []


def test_the_map_lists_the_rooms_in_the_order_in_which_they_may_import() -> None:
    rows_of_rooms = re.findall(r"^\| `([\w.]+)` \|", page("architecture.md"), re.M)
    assert tuple(rows_of_rooms) == ROOMS


def test_the_python_reference_names_every_public_name() -> None:
    text = page("python.md")
    names = [*es_simhash.__all__, *types.__all__]
    missing = [name for name in names if not re.search(rf"\b{name}\b", text)]
    assert missing == []
