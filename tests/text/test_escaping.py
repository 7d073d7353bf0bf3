"""What comes from documents is shown as it is written, and steers nothing."""

import pytest

from es_simhash.text.escaping import one_line, printable

# Persian and Hindi with their joiners, an emoji of three, French and Chinese spaces, a soft hyphen,
# a mark of direction.
WRITTEN = (
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0915\u094d\u200d\u0937",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "prix\u00a0: 5\u202f€",
    "他说：\u3000今天",
    "Donau\u00addampfer",
    "\u05d0\u200f!",
)


@pytest.mark.parametrize("text", WRITTEN)
def test_texts_are_shown_as_they_are_written(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("character", "shown"),
    [
        ("\x00", r"\x00"),
        ("\x1b", r"\x1b"),
        ("\x7f", r"\x7f"),
        ("\x9b", r"\x9b"),
        ("\n", r"\n"),
        ("\u2028", r"\u2028"),
        ("\ud800", r"\ud800"),
        *((chr(code), f"\\u{code:04x}") for code in range(0x202A, 0x202F)),
        *((chr(code), f"\\u{code:04x}") for code in range(0x2066, 0x206A)),
    ],
)
def test_what_steers_a_terminal_or_reorders_a_line_is_escaped(character: str, shown: str) -> None:
    assert printable(f"a{character}b") == f"a{shown}b"


def test_a_line_has_no_spaces_that_break_it() -> None:
    assert one_line("a\u3000b\n\u00a0c\u2028d") == "a b c d"
