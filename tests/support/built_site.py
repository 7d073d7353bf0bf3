"""The site of the documentation, built once for the tests that read it."""

import fcntl
import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; the processes of a run share it.

    A warning, such as a broken link or a page outside the navigation, is an exception here.
    """
    # MkDocs takes half a second to import.
    from scripts.build_site import build_site

    # The folder of the whole run is that above the folder of a process.
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "built-site"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "site").is_dir():
            shutil.rmtree(folder / "unfinished", ignore_errors=True)
            build_site(folder / "unfinished", folder / "pages")
            (folder / "unfinished").rename(folder / "site")
    return folder / "site"
