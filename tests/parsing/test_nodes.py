from __future__ import annotations

import subprocess
import sys

from ncleaner.parsing import _nodes


def test_layout_is_proved_here_and_nothing_is_read_where_it_is_not() -> None:
    assert _nodes.LAYOUT_PROVED
    code = (
        "import ncleaner.parsing._nodes as n; n.LAYOUT_PROVED = False\n"
        "import sys; sys.modules.pop('ncleaner.dumping.html', None)\n"
        "import ncleaner.dumping.html"
    )
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert result.returncode == 1
    assert "ImportError: ncleaner cannot read the trees of selectolax" in result.stderr
