"""The command line, whose service keeps some memory of each request: the soak has to find that."""

from es_simhash.cli import main
from es_simhash.service.connections import BoundedProtocol
from tests.soak import watched  # noqa: F401 — says how much is in use.

_BYTES = 1 << 20
_kept: list[bytes] = []
_complete = BoundedProtocol.on_response_complete


def _complete_and_keep(self: BoundedProtocol) -> None:
    _kept.append(b"x" * _BYTES)
    _complete(self)


# The workers import this module as well.
BoundedProtocol.on_response_complete = _complete_and_keep  # type: ignore[method-assign]

if __name__ == "__main__":
    main()
