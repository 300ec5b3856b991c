"""Settings for all tests."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# Processes that tests start in the source tree use the package that is installed, as these do: in the tree it may
# not be built.
os.environ["PYTHONSAFEPATH"] = "1"
# A shell starts what runs in the background with SIGINT ignored, also in all that it starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# No example is too slow: how long one takes says more about the machine. The check before a change lands gives the
# same answer each time; elsewhere every run tries new examples, and `--hypothesis-profile=long` many of them.
settings.register_profile("here", deadline=None)
settings.register_profile("long", deadline=None, max_examples=5000)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
