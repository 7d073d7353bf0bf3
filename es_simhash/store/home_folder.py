"""The folder of the user in which this package keeps nodes, distributions and journals."""

import os
from pathlib import Path

ROOT_HOME = Path("/var/cache/es-simhash")


def home_folder() -> Path:
    """Return the folder in which this package keeps its files.

    `ES_SIMHASH_HOME` decides; else `$XDG_CACHE_HOME/es-simhash` or `~/.cache/es-simhash`. For
    root it is `/var/cache/es-simhash`: Elasticsearch refuses to run as root, and the user that
    runs it instead may not enter root's own home.
    """
    home = os.environ.get("ES_SIMHASH_HOME")
    if home:
        return Path(home).expanduser().resolve()
    if os.geteuid() == 0:
        return ROOT_HOME
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser().resolve() / "es-simhash"
