"""What all parts of a policy have to know."""

from dataclasses import dataclass

from es_simhash.deduplication.rules import OnVersion
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.storage.fields import field_path


@dataclass(frozen=True)
class Setting:
    """What all parts of a policy have to know.

    Attributes:
        index: The user's index.
        text_field: Field of the text.
        field: Name of our object.
        scheme: Scheme of the index.
        rules: What counts as a version, and what is to be done.
        run: Id of this run in the audit log.
    """

    index: str
    text_field: str
    field: str
    scheme: Scheme
    rules: OnVersion
    run: str

    def path(self, member: str) -> str:
        """Return the full name of a member of our object."""
        return field_path(self.field, member)

    @property
    def date_field(self) -> str | None:
        """Field of the dates; None when they do not matter."""
        return self.rules.date_field
