"""Texts for the property tests."""

from hypothesis import strategies as st

SCRIPTS = [
    "abcdefgHIJKLMNÄÖÜßéñ",
    "абвгдЕЖЗИЙ",
    "αβγδΣς",
    "अआकखगमनािीु्ंः",
    "ابتثجحخ\u064b\u064e\u0651\u0652",
    "אבגדה\u05b8\u05b0",
    "人民共和国的权利々〇",
    "あいうえおかがアイウエー\u3099ﾃｽﾄﾞ",
    "กขคงจะาิีึ์เแ",
    "모든인간은\u1106\u1169\u11ab",
    "ကမမ္ာ្កខគ",
    "ΐﬁﬃ℃㎏①Ⅷẞİıſ𠮷𝕳ꮳᏣ",
    "0123456789٤४_",
    "\u00ad\u200b\u200c\u200d\u200e\ufeff\u2060",
    "\u0300\u0301\u0323\u0345\ufe0f\u20e3\u00a8",
    "\ua7d0\U00010570\U000104d6\ud83d\u0378\ue000",
    "-—'’@#$%^&*+=/\\|<>~🙂❤👍🏽",
]
ENDS = [" ", " ", " ", "  ", "\n", "\n\n", "\r\n", "\n \r\n", "\t", "\u3000", "\x85", "\u2028"]
STOPS = [".", "!", "?", "…", "。", "؟", "۔", "।", "։", ".)", ".”", "?!", ".'\""]

_word = st.sampled_from(SCRIPTS).flatmap(lambda script: st.text(script, min_size=1, max_size=8))
_piece = st.one_of(
    _word,
    _word,
    _word,
    st.sampled_from(ENDS),
    st.sampled_from(ENDS),
    st.sampled_from(STOPS),
    st.text(max_size=4),
)

# Words of many scripts, marks and ignored characters in odd places, and any other characters.
texts = st.lists(_piece, max_size=150).map("".join)
"""Mixed scripts, odd characters included."""

# Many tokens and few different ones, so that texts of every window are made and passages repeat.
long_texts = st.lists(
    st.sampled_from([*(f"w{number}" for number in range(30)), "人", "x.", "y\n\n"]),
    min_size=50,
    max_size=300,
).map(" ".join)
