"""Libraries that some methods are taken from (extra: baselines)."""

import warnings
from importlib import import_module
from typing import Any

from es_simhash.errors import MissingExtra

_PACKAGES = {"sklearn": "scikit-learn", "rapidfuzz": "RapidFuzz"}


def require_baseline(module: str, method: str) -> Any:
    """Return a module of the extra.

    Args:
        module: Its name.
        method: Name of the method that needs it.

    Raises:
        MissingExtra: It is not installed.
    """
    package = module.partition(".")[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"Method {method!r} needs {_PACKAGES.get(package, package)}: "
            "pip install 'es-simhash[baselines]'."
        ) from error
