"""Texts that a method cannot read."""

from collections.abc import Sequence

from es_simhash.errors import InputError
from es_simhash.lab.methods.model import NO_WORDS, Features


def require_readable(
    features: Features, method: str, names: Sequence[str], *, advice: str = ""
) -> None:
    """Reject texts that a method cannot read; one without words it can.

    Args:
        features: What the method has read of the texts.
        method: Its name.
        names: Of the texts, for errors.
        advice: What to do, as a sentence of its own.

    Raises:
        InputError: There is such a text.
    """
    for number, reason in features.unreadable.items():
        if reason != NO_WORDS:
            message = f"Method {method!r} cannot read {names[number]}: it {reason}."
            raise InputError(f"{message} {advice}".rstrip())
