"""How a passage was changed by whoever took it over."""

from typing import Literal

ReuseKind = Literal["verbatim", "edited", "paraphrased"]
REUSE_KINDS: tuple[ReuseKind, ...] = ("verbatim", "edited", "paraphrased")
