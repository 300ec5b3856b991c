from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ncleaner.errors import OutputError
from ncleaner.people.plots import draw_tuning, plot_paths, save
from ncleaner.training.trials import Trial, Tuning
from ncleaner.training.validation import Figures

QS = (0.1, 0.5, 0.8)
TUNING = Tuning(
    tuple(
        Trial(name, "aligned", n, q, 3 + q / n, 4 + q / n, Figures(0.9, 0.9, 0.9 + n / 100), {})
        for name in ("ascii", "learned")
        for n in (1, 2, 3)
        for q in QS
    ),
    12,
    5,
    5,
    "page",
)


@pytest.mark.slow
@pytest.mark.traced
def test_a_row_for_each_alphabet_a_panel_for_each_measure_and_a_curve_for_each_n() -> None:
    figure = draw_tuning(TUNING)
    titles = [panel.get_title() for panel in figure.axes]
    assert titles == [
        f"{name}, aligned: {what}"
        for name in ("ascii", "learned")
        for what in ("clean text", "dirty text", "cleaning by hybrid")
    ]
    # the chosen combination, n = 3 of the first alphabet, has a ring
    assert [len(panel.lines) for panel in figure.axes] == [4, 4, 4, 3, 3, 3]
    curve = figure.axes[1].lines[2]
    assert np.asarray(curve.get_xdata()).tolist() == list(QS)
    assert np.asarray(curve.get_ydata()).tolist() == [4 + q / 3 for q in QS]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["n = 1", "n = 2", "n = 3"]


def test_the_best_is_always_within_the_frame() -> None:
    figure = draw_tuning(TUNING)
    for panel in figure.axes[:3]:
        low, high = panel.get_ylim()
        assert low < np.asarray(panel.lines[-1].get_ydata())[0] < high


@pytest.mark.slow
@pytest.mark.traced
def test_a_single_combination_is_drawn(tmp_path: Path) -> None:
    paths = plot_paths(tmp_path / "one")
    save(draw_tuning(Tuning(TUNING.trials[:1], 2, 2, 2, "page")), paths)
    assert all(path.stat().st_size for path in paths)


@pytest.mark.slow
def test_both_formats_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    paths = plot_paths(tmp_path / "a.b")
    assert [path.name for path in paths] == ["a.b.png", "a.b.svg"]
    assert plot_paths(tmp_path / "a.b.svg") == plot_paths(tmp_path / "a.b.png") == paths
    save(draw_tuning(TUNING), paths)
    first = [path.read_bytes() for path in paths]
    assert first[0].startswith(b"\x89PNG")
    assert b"<svg" in first[1]
    save(draw_tuning(TUNING), paths)
    assert [path.read_bytes() for path in paths] == first


@pytest.mark.slow
def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write"):
        save(draw_tuning(TUNING), [tmp_path / "nowhere" / "x.png"])
    with pytest.raises(OutputError, match="has to end in a name"):
        plot_paths(Path())


def test_matplotlib_is_imported_only_to_draw(tmp_path: Path) -> None:
    code = "import sys, ncleaner.people.program, ncleaner.people.plots; sys.exit('matplotlib' in sys.modules)"
    # elsewhere: the source tree would go before what is installed
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0
