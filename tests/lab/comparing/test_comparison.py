from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncleaner.errors import EvaluationError, ModelError
from ncleaner.lab.comparing.comparison import compare, scored
from ncleaner.lab.comparing.gold import GoldPage, read_gold
from ncleaner.lab.comparing.tools import Outcome
from ncleaner.lab.training.hybrid import train
from ncleaner.lab.training.pairs import PairSource, read_pairs

from .gold_dirs import enter, little, run_here, write

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncleaner.lab.comparing.comparison.run", run_here)


@pytest.mark.usefixtures("here")
def test_methods_and_peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(monkeypatch, tmp_path, "paragraphs", "raises", "nothing", "broken")
    steps: list[tuple[int, int]] = []
    result = compare(
        read_gold(little(tmp_path / "little")),
        ["everything", "paragraphs", "raises", "nothing", "broken", "paragraphs"],
        progress=lambda done, total: steps.append((done, total)),
    )
    everything, paragraphs, raises, nothing = result.tools
    assert [page.bag for page in paragraphs.pages] == [100, 100, 100]
    assert 0 < result.bag(everything).mean < 100
    assert everything.words.recall == paragraphs.words.recall > 90
    assert [page.bag for page in raises.pages] == [100, 0, 100]
    assert [page.failure for page in raises.failures] == ["ValueError: no rain,\nplease"]
    assert (nothing.empty, raises.empty, result.bag(nothing).mean) == (3, 0, 0)
    assert [(tool.tool.name, tool.reason) for tool in result.not_run] == [
        ("broken", "RuntimeError('out of\\norder')")
    ]
    # the default method is not among them
    assert result.reference == "everything"
    # five tools, three pages that are cleaned and scored
    assert steps[-1] == (30, 30)
    told = json.loads(json.dumps(result.to_dict()))
    assert told["compared"] == told["sites"] == 3 and told["units"] == {"word": 3, "char": 0}
    assert [tool["tool"] for tool in told["tools"]] == ["everything", "paragraphs", "raises", "nothing"]
    assert told["tools"][2]["by_page_type"]["article"]["mean"] == 50
    assert told["tools"][2]["pages"][1]["failure"] == "ValueError: no rain,\nplease"
    assert told["tools"][0]["difference"] is None and told["tools"][1]["difference"]["mean"] > 0
    assert told["not_run"][0]["reason"] == "RuntimeError('out of\\norder')"


@pytest.mark.slow
def test_several_processes_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(monkeypatch, tmp_path, "paragraphs", "raises", "broken")
    gold = read_gold(little(tmp_path / "little"), convention=False)
    names = ["bte", "paragraphs", "raises", "broken"]
    found = []
    for jobs in (1, 2):
        result = compare(gold, names, jobs=jobs, scorers=jobs)
        pages = [(page.name, page.words, page.bag) for tool in result.tools for page in tool.pages]
        found.append((pages, [tool.reason for tool in result.not_run]))
    assert found[0] == found[1]


def test_a_failure_scores_nothing_even_where_nothing_was_to_be_found(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b"")
    page = GoldPage(PairSource("empty", path, path), "", "word")
    assert scored(page, Outcome()).bag == 100 and scored(page, Outcome()).empty
    failed = scored(page, Outcome(failure="raised"))
    assert (failed.bag, failed.empty, failed.failure) == (0, False, "raised")


@pytest.mark.usefixtures("here")
def test_characters_for_chinese(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "chinese", [], {"1": "<p>天下雨了"}, {"1": "天下雨\n"})
    enter(monkeypatch, tmp_path, "paragraphs")
    for unit, score in ((None, 600 / 7), ("word", 0)):
        result = compare(read_gold(folder, unit=unit), ["paragraphs"])  # type: ignore[arg-type]
        assert result.bag(result.tools[0]).mean == pytest.approx(score)
        assert result.page_types == {}


@pytest.mark.usefixtures("here")
def test_the_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(monkeypatch, tmp_path, "paragraphs", "broken")
    gold = read_gold(little(tmp_path / "little"), convention=False)
    assert compare(gold, ["bte", "ngram", "paragraphs"], reference="ngram").reference == "ngram"
    result = compare(gold, ["bte", "broken"], reference="broken")
    assert result.reference == "" and result.difference(result.tools[0]) is None


@pytest.mark.usefixtures("here")
def test_models_say_what_they_were_trained_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = read_gold(little(tmp_path / "little"), convention=False)
    bte, ngram = compare(gold, ["bte", "ngram"]).tools
    assert bte.sources == ()
    assert "CleanEval 2007 development set" in ngram.sources
    result = compare(gold, ["ngram", "victor"], model="zh")
    assert result.tools[0].sources == ("DAnIEL news corpus (Lejeune et al. 2012)",)
    # which has its own model for all languages
    assert "CleanEval 2007 development set" in result.tools[1].sources


@pytest.mark.usefixtures("here")
def test_a_model_is_for_some_methods(tmp_path: Path) -> None:
    own = tmp_path / "own.ncm"
    train(read_pairs(EXAMPLES / "pages", EXAMPLES / "gold"), method="ngram", alphabet="nonlexical").save(own)
    gold = read_gold(little(tmp_path / "little"), convention=False)
    result = compare(gold, ["ngram", "victor", "bte"], model=str(own))
    assert [tool.tool.name for tool in result.tools] == ["ngram", "bte"]
    assert result.tools[0].sources == (f"the unknown pages of {own}",)
    assert "holds a model of kind 'ngram'" in result.not_run[0].reason and not result.not_run[0].missing
    with pytest.raises(ModelError, match="holds a model of kind 'ngram'"):
        compare(gold, ["victor", "bte"], model=str(own))
    with pytest.raises(ModelError, match="nowhere"):
        compare(gold, ["ngram"], model="nowhere")


@pytest.mark.usefixtures("here")
def test_no_tool_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(monkeypatch, tmp_path, "broken")
    gold = read_gold(little(tmp_path / "little"), convention=False)
    with pytest.raises(EvaluationError, match=r"no tool could run \(broken: RuntimeError"):
        compare(gold, ["broken"])
