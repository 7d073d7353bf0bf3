"""Leaves the lab out of the wheel, when ES_SIMHASH_WITHOUT_LAB is set.

The lab is methods, evaluation and tuning; the rest of the package works without it.
"""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "ES_SIMHASH_WITHOUT_LAB"
LEFT_OUT = ("/es_simhash/lab", "/es_simhash/data/methods")


class LabHook(BuildHookInterface[Any]):
    """Leaves files out before the wheel is written."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Exclude the files of the lab from the wheel, on demand."""
        if os.environ.get(VARIABLE):
            self.build_config.target_config.setdefault("exclude", []).extend(LEFT_OUT)
