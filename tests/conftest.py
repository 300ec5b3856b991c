"""Settings for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# Processes that tests start in the source tree use the package that is installed, as these do: in the tree it may
# not be built.
os.environ["PYTHONSAFEPATH"] = "1"
# The check before a change lands gives the same answer each time; elsewhere every run tries new examples.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
