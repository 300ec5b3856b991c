from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from ncleaner.errors import OutputError
from ncleaner.lab.commands.plots import Panel, Series, drawing, names_of_points, plot_path, write_plot
from ncleaner.lab.commands.tune import draw_tuning, tuning_panels
from ncleaner.lab.training.tuning import Trial, Tuning
from ncleaner.lab.training.validation import Figures

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


def test_a_row_for_each_alphabet_a_panel_for_each_measure_and_a_curve_for_each_n() -> None:
    rows = tuning_panels(TUNING)
    assert [[panel.title for panel in row] for row in rows] == [
        [f"{name}, aligned: {what}" for what in ("clean text", "dirty text", "cleaning by hybrid")]
        for name in ("ascii", "learned")
    ]
    # the chosen combination, n = 3 of the first alphabet, has a ring
    assert [[len(panel.series) for panel in row] for row in rows] == [[4, 4, 4], [3, 3, 3]]
    assert [series.mark for series in rows[0][0].series] == ["disc", "disc", "disc", "ring"]
    assert rows[0][1].series[2].points == [(q, 4 + q / 3) for q in QS]
    assert [series.name for series in rows[1][0].series] == ["n = 1", "n = 2", "n = 3"]
    assert len({series.colour for series in rows[1][0].series}) == 3


def test_the_best_is_always_within_the_frame() -> None:
    for panel in tuning_panels(TUNING)[0]:
        assert panel.heights is not None
        low, high = panel.heights
        assert low < panel.series[-1].points[0][1] < high


def test_a_single_combination_is_drawn(tmp_path: Path) -> None:
    draw_tuning(Tuning(TUNING.trials[:1], 2, 2, 2, "page"), tmp_path / "one.svg")
    assert "n = 1" in (tmp_path / "one.svg").read_text("utf-8")


def test_a_file_is_svg_and_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    path = plot_path(tmp_path / "a.b")
    assert path.name == "a.b.svg"
    # PNG was written once, and commands may still ask for it
    assert plot_path(tmp_path / "a.b.svg") == plot_path(tmp_path / "a.b.png") == path
    draw_tuning(TUNING, path)
    first = path.read_bytes()
    names = [each.tag.rpartition("}")[2] for each in ElementTree.fromstring(first).iter()]
    # four curves in each of three panels, and in the legend; the last one is a mark
    assert names[0] == "svg" and names.count("polyline") == 18 + 3 and names.count("g") == 6
    draw_tuning(TUNING, path)
    assert path.read_bytes() == first


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    panel = Panel("t", "x", "y", [Series("", [(1, 2)], "red")])
    with pytest.raises(OutputError, match="cannot write"):
        write_plot(tmp_path / "nowhere" / "x.svg", drawing([[panel]]))
    with pytest.raises(OutputError, match="has to end in a name"):
        plot_path(Path())


def test_texts_from_outside_are_no_markup() -> None:
    drawn = drawing([[Panel("<b>&\x1b", "x", "y", [Series("<i>", [(1, 2), (3, 4)], "red")])]], "<u>")
    texts = [each.text for each in ElementTree.fromstring(drawn).iter() if each.tag.endswith("}text")]
    assert texts[:2] == ["<u>", "<b>&\\x1b"] and texts[-1] == "<i>"


@pytest.mark.parametrize("log", [False, True])
def test_axes_have_round_numbers(log: bool) -> None:
    panel = Panel("", "x", "y", [Series("", [(0.7, 81.2), (42, 93.9)], "red")], x_is_log=log)
    texts = [each.text for each in ElementTree.fromstring(drawing([[panel]])).iter() if each.text]
    numbers = [text for text in texts if text.replace(".", "").isdigit()]
    xs = ["0.5", "1", "2", "5", "10", "20", "50", "100"] if log else ["0", "10", "20", "30", "40"]
    assert numbers == [*xs, "82", "84", "86", "88", "90", "92", "94"][: len(numbers)]


@pytest.mark.parametrize("log", [False, True])
def test_a_panel_without_points_has_axes(log: bool) -> None:
    drawn = ElementTree.fromstring(drawing([[Panel("none", "x", "y", [], x_is_log=log)]]))
    texts = [each.text or "" for each in drawn.iter()]
    assert "none" in texts and any(text.replace(".", "").isdigit() for text in texts)


def test_no_name_covers_another() -> None:
    points = [(200.0, 100.0 + 2 * n, f"a longer name {n}") for n in range(12)]
    places = names_of_points(points)
    assert places[0] == (206.0, 100.0)
    for number, (left, level) in enumerate(places):
        assert left >= 62 and left + 6.2 * len(points[number][2]) <= 366
        assert not any(abs(level - other) < 11 and abs(left - x) < 60 for x, other in places[number + 1 :])
