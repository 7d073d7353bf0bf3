"""Libraries of the peers, none of which this package needs."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from es_simhash.errors import MissingExtra

EXTRA = "pip install 'es-simhash[peers]'"


def require(module: str, install: str = EXTRA, *, load: bool = True) -> Any:
    """Return a module.

    Args:
        module: Its name.
        install: The command that installs it.
        load: Import it; otherwise only look whether it is there.

    Raises:
        MissingExtra: It is not installed; the sentence has the command.
    """
    try:
        if not load and find_spec(module) is None:
            raise ImportError(name=module)
        return import_module(module) if load else None
    except ImportError as error:
        missing = error.name or module
        raise MissingExtra(f"{missing} is not installed; run {install}.") from error
