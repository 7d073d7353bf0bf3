"""Every error this package raises on purpose.

EsSimhashError
├── ClusterError            the cluster is unreachable, rejects a request, or has no room
│   ├── IndexMissing        no such index
│   ├── DocumentMissing     no such document
│   ├── DocumentAmbiguous   several documents have the id
│   └── MappingConflict     a field has another type, or the fingerprint fields are absent
├── InputError              a file, document or parameter is invalid
│   └── FileInUse           another command writes the file
├── SchemeError             unknown scheme, or invalid parameters of one
│   └── SchemeMismatch      fingerprints of two schemes cannot be compared
└── MissingExtra            an optional dependency is not installed

A message says what failed, quotes the value, and ends with one imperative fix.
"""


class EsSimhashError(Exception):
    """Base of all errors of this package; the CLI prints its text and exits with 1.

    Args:
        message: What failed, the value received, and one imperative fix. Where the fix is to set
            the parameter, it is `Set <parameter>.` and stands at the end.
        parameter: The parameter that the fix is about, by its name in Python; the command line
            names its option instead.
    """

    def __init__(self, message: str = "", *, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


class ClusterError(EsSimhashError):
    """The cluster is unreachable, rejects the request, or has no room."""


class IndexMissing(ClusterError):
    """The index does not exist."""


class DocumentMissing(ClusterError):
    """The document does not exist in the index."""


class DocumentAmbiguous(ClusterError):
    """Several documents behind the name have the id."""


class MappingConflict(ClusterError):
    """A field has another type than needed, or the index has no fingerprint fields."""


class InputError(EsSimhashError):
    """A file, a document or a parameter is invalid."""


class FileInUse(InputError):
    """Another command writes the file at this moment."""


class SchemeError(EsSimhashError):
    """The scheme is unknown, or its parameters are invalid."""


class SchemeMismatch(SchemeError):
    """Fingerprints of two schemes cannot be compared."""


class MissingExtra(EsSimhashError):
    """An optional dependency is not installed."""
