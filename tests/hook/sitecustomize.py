"""Python runs this in each process whose PYTHONPATH has this folder: it runs the file that tests name."""

import os
import runpy

runpy.run_path(os.environ["NCLEANER_TEST_HOOK"])
