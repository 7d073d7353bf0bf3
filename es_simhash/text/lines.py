"""Lines of a text: those that were cut to fit a width, and the title above a text."""

import re
from functools import lru_cache
from itertools import chain

from es_simhash.text.characters import STANDALONE, class_ranges

# Lines of a text that was cut into lines of about equal length, in characters.
_MIN_WIDTH, _MAX_WIDTH = 40, 100
# The longest of lines that were not cut may have no room for the next word either.
_MIN_CUT = 2
_MAX_TITLE = 200
# A title is looked for in so many characters, for a long text is costly to join.
_TOP = 2_000
_SENTENCE_ENDS = (".", "。", "．", "۔", "।", ",", ";", ":", "，", "；", "：")
_QUESTION_ENDS = ("?", "!", "？", "！", "…")


def unwrapped(text: str) -> str:
    """Return a text with spaces for the line breaks that only keep its lines short.

    A line is cut where the first word of the next one would not have fitted, or its first letter
    in scripts without spaces, which are cut anywhere. Offsets stay.
    """
    lines = text.split("\n")
    width = max(map(len, lines))
    if not _MIN_WIDTH <= width <= _MAX_WIDTH:
        return text
    first_words = map(_first_words().match, lines[1:])
    is_cut = [
        word is not None and len(line) + 1 + word.end() > width
        for line, word in zip(lines, first_words, strict=False)
    ]
    if sum(is_cut) < _MIN_CUT:
        return text
    breaks = [" " if cut else "\n" for cut in is_cut]
    return "".join(chain.from_iterable(zip(lines, [*breaks, ""], strict=True)))


@lru_cache(maxsize=1)
def _first_words() -> re.Pattern[str]:
    """Return the expression of what stays together at the start of a line."""
    spaceless = class_ranges(STANDALONE)
    return re.compile(rf"[^ {spaceless}]+[{spaceless}]?|[{spaceless}]")


def title_of(text: str) -> str:
    """Return the line above a text that is its title; empty without one.

    It is the first line, and no sentence: it ends without a full stop, and without a question mark
    unless a blank line follows. The rest of the text is longer.

    >>> title_of("Ferry strike ends\\n\\nThe crews of all ferries went back to work on Monday.")
    'Ferry strike ends'
    """
    first, _, rest = unwrapped(text.lstrip()[:_TOP]).partition("\n")
    title, is_apart = first.strip(), not rest.partition("\n")[0].strip()
    if not title or not len(title) <= min(_MAX_TITLE, len(rest.strip())):
        return ""
    is_sentence = title.endswith(_SENTENCE_ENDS) or (
        title.endswith(_QUESTION_ENDS) and not is_apart
    )
    return "" if is_sentence else title
