"""What a field of two documents says of them: an owner that differs, an identifier they share."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class FieldEvidence:
    """What one field says of two documents.

    Attributes:
        name: What it is, `owner` or `identifier`.
        field: The field.
        agreement: `agree` where they have a value in common, `differ` where both have values and
            none in common, `absent` where one of them has none.
        query: Values of the query.
        hit: Values of the hit.
        common: Values of the query that the hit has as well, however it writes them.
    """

    name: Literal["owner", "identifier"]
    field: str
    agreement: Literal["agree", "differ", "absent"]
    query: tuple[str, ...] = ()
    hit: tuple[str, ...] = ()
    common: tuple[str, ...] = ()

    @property
    def sentence(self) -> str | None:
        """It in a few words; None where a value is absent."""
        label = self.name if self.name == "owner" else self.field
        if self.agreement == "agree":
            return f"{label} agrees: {', '.join(self.common)}"
        if self.agreement == "differ":
            return f"{label} differs: {', '.join(self.query)} / {', '.join(self.hit)}"
        return None
