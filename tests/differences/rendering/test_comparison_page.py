"""Changes as hunks, as a unified diff that applies, and as a page that carries nothing foreign."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash import changes, compare
from es_simhash.differences.rendering.comparison_page import changes_html
from es_simhash.differences.rendering.hunks import hunks
from es_simhash.differences.rendering.rows import rows
from es_simhash.differences.rendering.unified import unified_diff
from tests.support.pages import Page

LINES = [f"Line {number} of the text, which has something to say." for number in range(1, 41)]
ATTACKS = '<script>alert(1)</script> & "quotes" <img src="https://example.org/x">'
STEERING = "\x1b[31m\x9b2J\u202e\x07\x00"


def edited() -> list[str]:
    lines = list(LINES)
    lines[4] = "Another line."
    del lines[20]
    lines.insert(30, "One more line.")
    return lines


def test_a_hunk_has_the_words_around_a_change_and_its_line() -> None:
    one, two, three = hunks(changes("\n".join(LINES), "\n".join(edited())))
    assert (one.line, three.line) == (5, 31)
    assert two.line in (20, 21)
    marked = [(piece.mark, piece.text) for piece in three.pieces if piece.mark != "equal"]
    assert [(mark, text.strip()) for mark, text in marked] == [("insert", "One more line.")]
    words = " ".join(piece.text for piece in one.pieces if piece.mark == "equal").split()
    assert 12 <= len(words) <= 2 * 12 + 2


def test_equal_texts_have_no_hunk() -> None:
    assert list(hunks(changes(LINES[0], LINES[0]))) == []


def applied(a: str, b: str, folder: Path, program: list[str]) -> bytes:
    folder.mkdir(exist_ok=True)
    (folder / "a.txt").write_bytes(a.encode())
    (folder / "a.diff").write_bytes(unified_diff(a, b, "a.txt", "b").encode())
    done = subprocess.run([*program, "a.diff"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return (folder / "a.txt").read_bytes()


PATCH = ["patch", "--binary", "-s", "a.txt"]
GIT = ["git", "apply", "--unsafe-paths", "--whitespace=nowarn"]


@pytest.mark.skipif(not shutil.which("patch"), reason="patch is not installed")
@pytest.mark.parametrize("program", [PATCH, GIT], ids=["patch", "git"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("\n".join(LINES), "\n".join(edited())),
        ("\n".join(LINES) + "\n", "\n".join(edited())),
        ("\n".join(LINES), "\n".join(edited()) + "\n"),
        ("One\r\nTwo\r\n", "One\r\nThree\r\n"),
        ("One\n\n\nTwo\n", "\nOne\n\nTwo\n\n"),
        ("One", "Two"),
        ("第一条\n第二条\n", "第一条\n第三条\n"),
    ],
)
def test_the_diff_applies(a: str, b: str, program: list[str], tmp_path: Path) -> None:
    if not shutil.which(program[0]):
        pytest.skip(f"{program[0]} is not installed")
    assert applied(a, b, tmp_path, program) == b.encode()


@pytest.mark.skipif(not shutil.which("patch"), reason="patch is not installed")
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "", "c c"]), min_size=1, max_size=20),
    st.lists(st.sampled_from(["a", "b", "", "c c"]), min_size=1, max_size=20),
    st.booleans(),
)
def test_any_diff_applies(
    tmp_path_factory: pytest.TempPathFactory, a: list[str], b: list[str], ends: bool
) -> None:
    older, newer = "\n".join(a) + "\n" * ends, "\n".join(b) + "\n" * (not ends)
    if older != newer and older and newer:
        folder = tmp_path_factory.mktemp("diff")
        assert applied(older, newer, folder, PATCH) == newer.encode()


def test_equal_texts_have_an_empty_diff() -> None:
    assert unified_diff("One\n", "One\n", "a") == ""


def test_names_in_a_diff_are_quoted() -> None:
    head = unified_diff("One\n", "Two\n", "an id\n+++ b/evil", "x\n\x1b[31m").splitlines()[:3]
    assert head[0] == '--- "a/an id\\n+++ b/evil"'
    assert head[1].endswith("\tx\\n\\033[31m")
    assert head[2].startswith("@@ ")


def test_a_page_escapes_all_that_comes_from_documents() -> None:
    a = f"{ATTACKS} {STEERING} Pay in 16 days."
    source = changes_html(changes(a, a.replace("16", f"18 {ATTACKS}")), ATTACKS, f"b{STEERING}")
    page = Page(source)
    page.require_harmless()
    assert page.text.count("<script>alert(1)</script>") >= 3


def test_a_page_requests_nothing_and_is_light_and_dark() -> None:
    page = changes_html(changes("\n".join(LINES), "\n".join(edited())), "a", "b")
    Page(page).require_harmless()
    assert "https:" not in page
    assert "prefers-color-scheme: dark" in page


def test_a_page_has_the_newer_text_and_what_was_taken_out() -> None:
    a, b = "\n\n".join(LINES), "\n\n".join(edited())
    shown = "".join(Page(changes_html(changes(a, b), "a", "b")).text.split())
    for line in edited():
        assert "".join(line.split()) in shown
    assert "Line21ofthetext" in shown


def test_a_page_links_both_places_of_a_moved_block() -> None:
    a = [f"{line} It is the sentence number {n * 7}." for n, line in enumerate(LINES[:9])]
    b = [*a[:1], *a[2:8], a[1], *a[8:]]
    page = Page(changes_html(changes("\n\n".join(a), "\n\n".join(b)), "a", "b"))
    page.require_linked()
    assert set(page.values("href")) == {"#here-1", "#away-1"}


TEXTS = st.lists(
    st.sampled_from(
        ["One two three. ", "港口。", "Four, five!\n\n", "Six seven\n", "ثمانية؟ ", "nine "]
    ),
    max_size=14,
).map("".join)


@given(TEXTS, TEXTS)
def test_rows_make_up_both_texts(a: str, b: str) -> None:
    found = list(rows(changes(a, b)))
    assert "".join(bit.text for row in found for bit in row.a) == a
    assert "".join(bit.text for row in found for bit in row.b) == b
    for row in found:
        if row.kind == "equal":
            assert "".join(bit.text for bit in row.a).split() == [
                word for bit in row.b for word in bit.text.split()
            ]


def test_paragraphs_that_both_have_stand_side_by_side() -> None:
    a = "\n\n".join(LINES[:6])
    b = "\n\n".join([LINES[0], "A new paragraph stands here.", *LINES[1:4], LINES[5]])
    sides = [
        tuple("".join(bit.text for bit in side).strip() for side in (row.a, row.b))
        for row in rows(changes(a, b))
    ]
    for line in (LINES[0], *LINES[1:4], LINES[5]):
        assert (line, line) in sides
    assert ("", "A new paragraph stands here.") in sides
    assert (LINES[4], "") in sides


def test_a_page_has_coverage_and_links_to_shared_passages() -> None:
    shared = " ".join(LINES[:8])
    a = f"{shared}\n\n" + " ".join(f"Only the first has number {n * 13}." for n in range(12))
    b = " ".join(f"The second says {n * 17} instead." for n in range(12)) + f"\n\n{shared}"
    relation = compare(a, b, semantics=None)
    page = Page(changes_html(changes(a, b), "a", "b", relation))
    page.require_linked()
    page.require_harmless()
    coverage = relation.coverage
    assert f"{coverage.of_query:.0%} of A appears in B" in page.words
    assert f"{coverage.of_hit:.0%} of B appears in A" in page.words
    assert "Shared passages" in page.words
    assert page.tags.count("path") >= 1
    # Both ends of the passage are linked, and lead to rows that have it.
    assert sum(value.startswith("#row-") for value in page.values("href")) >= 2


def test_the_strip_stays_in_its_bounds() -> None:
    a, b = "\n".join(LINES), "\n".join(reversed(edited()))
    source = changes_html(changes(a, b), "a", "b", compare(a, b, semantics=None))
    for path in re.findall(r'<path class="\w+" d="([^"]+)"', source):
        assert all(0 <= float(number) <= 1000 for number in re.findall(r"[\d.]+", path))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("", ""),
        ("", "Something."),
        ("Same.", "Same."),
        ("\n\n".join(LINES), "\n\n".join(edited())),
        (f"{ATTACKS} {STEERING}", f"{STEERING} Other. {ATTACKS * 30}"),
        ("台风于周日清晨登陆。" * 9, "台风于周一清晨登陆。" * 9),
        (
            "أعلنت هيئة المياه يوم الأحد 12 مايو. " * 9,
            "أعلنت هيئة المياه يوم الاثنين 13 مايو. " * 9,
        ),
        ("नगर परिषद की बैठक 12 बजे होगी। " * 9, "नगर परिषद की बैठक 14 बजे होगी। " * 9),
        ("x" * 5000, "x" * 4000 + " y"),
    ],
)
def test_pages_are_accessible(a: str, b: str, require_accessible: Any) -> None:
    relation = compare(a, b, semantics=None)
    page = Page(changes_html(changes(a, b), f"{ATTACKS} a", "b" * 300, relation))
    page.require_harmless()
    page.require_linked()
    require_accessible(page.source)
