"""Changes of documents that were read: each fails where the document was written since."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from es_simhash.relation.references import DocumentVersion

# Another writer may be quicker so often before a document is left as it is.
WRITE_ATTEMPTS = 5


@dataclass(frozen=True)
class Change:
    """A change of one document.

    Attributes:
        version: The document, in the version that was read.
        members: Members that its `simhash` object gets, None for one that it loses; no mapping to
            delete the document.
    """

    version: DocumentVersion
    members: Mapping[str, Any] | None
