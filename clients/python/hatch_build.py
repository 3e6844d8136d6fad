"""Puts what all packages have in common beside this one before it is built; a source distribution has it already."""

from pathlib import Path
from shutil import copyfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommonFiles(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        here = Path(self.root)
        if here.parts[-2:] != ("clients", "python"):
            return
        for name in ("LICENSE", "NOTICE", "CHANGELOG.md"):
            copyfile(here.parents[1] / name, here / name)
