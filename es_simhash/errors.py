"""Every error this package raises on purpose.

EsSimhashError
├── ClusterError            the cluster cannot be reached, refuses, or has no room
│   ├── IndexMissing        no such index
│   ├── DocumentMissing     no such document
│   └── MappingConflict     a field of our name exists with another type, or is absent
├── NodeError               the local node cannot be installed, started or stopped
├── InputError              a file or a document that cannot be read
├── SchemeError             unknown scheme, or parameters that make no scheme
│   └── SchemeMismatch      fingerprints of two schemes were to be compared
└── MissingExtra            an optional dependency is not installed

Each message is one sentence that names the value and the way out.
"""


class EsSimhashError(Exception):
    """Base of all errors of this package; the CLI prints its text and exits with 1.

    Args:
        message: One sentence that names the value and the way out.
        parameter: The parameter that the way out is about, by its name in Python; the command
            line names its own option for it.
    """

    def __init__(self, message: str = "", *, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


class ClusterError(EsSimhashError):
    """The cluster cannot be reached, refuses the request, or has no room."""


class IndexMissing(ClusterError):
    """The index does not exist."""


class DocumentMissing(ClusterError):
    """The document does not exist in the index."""


class MappingConflict(ClusterError):
    """A field of our name has another type, or the index has no fingerprint fields."""


class NodeError(EsSimhashError):
    """The local node cannot be installed, started or stopped."""


class InputError(EsSimhashError):
    """A file or a document cannot be read."""


class SchemeError(EsSimhashError):
    """The scheme is unknown, or its parameters make no scheme."""


class SchemeMismatch(SchemeError):
    """Fingerprints of two schemes were to be compared."""


class MissingExtra(EsSimhashError):
    """An optional dependency is not installed."""
