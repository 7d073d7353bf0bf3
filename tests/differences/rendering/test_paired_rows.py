"""Two texts in rows that go together."""

from hypothesis import given
from hypothesis import strategies as st

from es_simhash import changes
from es_simhash.differences.rendering.paired_rows import rows
from tests.support.edited_lines import LINES

TEXTS = st.lists(
    st.sampled_from(
        ["One two three. ", "港口。", "Four, five!\n\n", "Six seven\n", "ثمانية؟ ", "nine "]
    ),
    max_size=14,
).map("".join)


@given(TEXTS, TEXTS)
def test_rows_make_up_both_texts(a: str, b: str) -> None:
    found = list(rows(changes(a, b)))
    assert "".join(segment.text for row in found for segment in row.a) == a
    assert "".join(segment.text for row in found for segment in row.b) == b
    for row in found:
        if row.kind == "equal":
            assert "".join(segment.text for segment in row.a).split() == [
                word for segment in row.b for word in segment.text.split()
            ]


def test_paragraphs_that_both_have_stand_side_by_side() -> None:
    a = "\n\n".join(LINES[:6])
    b = "\n\n".join([LINES[0], "A new paragraph stands here.", *LINES[1:4], LINES[5]])
    sides = [
        tuple("".join(segment.text for segment in side).strip() for side in (row.a, row.b))
        for row in rows(changes(a, b))
    ]
    for line in (LINES[0], *LINES[1:4], LINES[5]):
        assert (line, line) in sides
    assert ("", "A new paragraph stands here.") in sides
    assert (LINES[4], "") in sides
