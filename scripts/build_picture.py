"""Draw docs/related.svg: what `es-simhash related` prints for a document of the sample corpus.

    make demo && .venv/bin/python scripts/build_picture.py

It runs the real command against the cluster of ELASTICSEARCH_URL (or http://localhost:9200) and
keeps the first lines of its output. Run it again when the wording of that output changes.
"""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

COMMAND = ["related", "es-simhash-demo", "--id", "en-harbour-v1", "--evidence"]
TARGET = Path(__file__).parents[1] / "docs" / "related.svg"
COLUMNS = 100
# The table and the evidence of the first match; the rest repeats their form.
LINES = 27


def output() -> str:
    """Return what the command prints, with its colours."""
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS)}
    done = subprocess.run(
        [sys.executable, "-m", "es_simhash", *COMMAND],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def main() -> None:
    """Write the picture."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text(f"$ es-simhash {' '.join(COMMAND)}", "bold"))
    for line in output().splitlines()[:LINES]:
        console.print(Text.from_ansi(line))
    console.print(Text("…", "dim"))
    picture = console.export_svg(title="es-simhash related", unique_id="related")
    # No font is fetched from elsewhere: any monospaced one serves.
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    TARGET.write_text(picture.replace("Fira Code", "ui-monospace"), "utf-8")


if __name__ == "__main__":
    main()
