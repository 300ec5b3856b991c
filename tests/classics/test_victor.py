from __future__ import annotations

import pickle
import sys
from bisect import bisect_right
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.classics._victor import features, marginals
from ncleaner.classics.trainers import attribute_names, attributes, train_victor
from ncleaner.classics.victor import FEATURES, Victor, VictorModel, block_features, make_slots, visible_rows
from ncleaner.cli.cards import describe, model_table
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import ModelError, TrainingError
from ncleaner.lab.training.annotations import Annotated, labels_from_alignment
from ncleaner.lab.training.labels import LABELS, OTHER, labels_from_kept
from ncleaner.lab.training.pairs import Pair
from ncleaner.methods.choice import load_method, load_model, read_ngrams
from ncleaner.methods.registry import entry_of
from ncleaner.modelling.container import pack, unpack
from ncleaner.modelling.files import model_bytes

from ..lab.training.test_annotations import HTML

MENU = "<div><a href=/>Home</a> | <a href=/n>News</a> | <a href=/c>Contact us</a></div>"
FOOTER = "<div>© 2024 The Harbour Gazette. <a href=/i>Imprint</a></div>"
PROSE = (
    "The ferry between the two islands was late again this morning.",
    "Those who had come early to get a seat stood on the pier for an hour and talked about the weather.",
    "Nobody knew when the boat would sail, and the harbour master would not say.",
)


def pages(number: int) -> list[Pair]:
    """Pages of as many sites, each a little different."""
    found = []
    for i in range(number):
        paragraphs = [" ".join(PROSE[k % 3] for k in range(i, i + 1 + j)) for j in range(1 + i % 3)]
        html = f"{MENU}<h1>Ferry number {i}</h1>" + "".join(f"<p>{text}</p>" for text in paragraphs) + FOOTER
        gold = "\n".join([f"<h>Ferry number {i}", *(f"<p>{text}" for text in paragraphs)])
        found.append(Pair(f"page{i}", dump_html(html), gold, f"s{i}.example"))
    return found


PAIRS = pages(12)


def value(document: Document, text: str, feature: str) -> int:
    """Of the first visible block with this text."""
    for row, run in enumerate(document.runs[visible_rows(document)]):
        if document.data[run["start"] : run["end"]].decode() == text:
            return int(block_features(document)[row, FEATURES.index(feature)])
    raise LookupError(text)


@pytest.mark.parametrize(
    ("html", "text", "feature", "expected"),
    [
        ("<p>x<div>y</div>", "x", "container.p", 1),
        ("<p>x<div>y</div>", "y", "container.p", 0),
        ("<p>x <a href=/>y</a>", "y", "container.a", 1),
        ("<p>x <u>y</u>", "y", "container.u", 1),
        ("<h3><span>y</span></h3>", "y", "container.class-header", 1),
        ("x <strong>y</strong>", "y", "container.class-bold", 1),
        ("x <em>y</em>", "y", "container.class-italic", 1),
        ("<ul><li><div>y</div></ul>", "y", "container.class-list", 1),
        ("<form><div>y</div></form>", "y", "container.class-form", 1),
        ("<div>x</div><p>y", "y", "split.p", 1),
        ("<p>x</p><p>y</p>", "y", "split.p", 2),
        ("<p>x</p><p></p><p>y</p>", "y", "split.p", 4),
        ("<p>x</p><div hidden><p>h</p></div><p>y</p>", "y", "split.p", 4),
        ("<p>x<div>y</div>", "y", "split.p", 1),
        ("<p>x <b>y</b>", "y", "split.p", 0),
        ("<div>x<br>y</div>", "y", "split.br", 1),
        ("<div>x</div><br><hr><div>y</div>", "y", "split.br", 2),
        ("<div>x<br><br>y</div>", "y", "split.br", 2),
        ("<div>x <b><a href=/>y</a></b></div>", "y", "split.br", 0),
        ("<div>x <nobr>y</nobr></div>", "y", "split.br", 0),
        ("<div>x <font><font>y</font></font></div>", "y", "split.br", 0),
        ("<div>x <font><font>y</font></font></div>", "y", "split.class-inline", 2),
        ("<div>x<br><font><font>y</font></font></div>", "y", "split.br", 1),
        ("<div>x <b><a href=/>y</a></b></div>", "y", "split.class-inline", 2),
        ("<div>x</div><div><div>y</div></div>", "y", "split.class-block", 3),
        ("<div>x</div><div hidden><p>h</p></div><div>y</div>", "y", "split.class-block", 5),
        ("<p>ab 1,;", "ab 1,;", "char.alpha-rel", 4),
        ("<p>ab 1,;", "ab 1,;", "char.num-rel", 2),
        ("<p>ab 1,;", "ab 1,;", "char.punct-rel", 4),
        ("<p>ab 1,;", "ab 1,;", "char.white-rel", 2),
        ("<p>ab 1€;", "ab 1€;", "char.other-rel", 2),
        ("<p>één b c1 12 § ,", "één b c1 12 § ,", "token.alpha-abs", 2),
        ("<p>één b c1 12 § ,", "één b c1 12 § ,", "token.alpha-rel", 4),
        ("<p>één b c1 12 § ,", "één b c1 12 § ,", "token.num-abs", 1),
        ("<p>één b c1 12 § ,", "één b c1 12 § ,", "token.mix-abs", 1),
        ("<p>één b c1 12 § ,", "één b c1 12 § ,", "token.other-abs", 2),
        ("<p>(well-known,) x", "(well-known,) x", "token.alpha-abs", 2),
        ("<p>3.14 on 12:30", "3.14 on 12:30", "token.num-abs", 2),
        ("<p>(a-b)", "(a-b)", "char.punct-rel", 7),
        ("<p>$=+", "$=+", "char.punct-rel", 0),
        ("<p>It is. Is it? 3.14 m", "It is. Is it? 3.14 m", "sentence.count", 2),
        ("<p>It is. Is it?", "It is. Is it?", "sentence.avg-length", 2),
        ("<p>It is 12 § .", "It is 12 § .", "sentence.avg-length", 2),
        ("<p>abc abcde", "abc abcde", "avg-word-length", 4),
        ("<p>one two, six", "one two, six", "avg-word-run", 1),
        ("<p>one two six", "one two six", "avg-word-run", 3),
        ("<p>12 Boats", "12 Boats", "sentence-begin", 1),
        ("<p>boats", "boats", "sentence-begin", 0),
        ("<p>Boats wait. 12", "Boats wait. 12", "sentence-end", 1),
        ("<p>Boats wait. So", "Boats wait. So", "sentence-end", 0),
        ("<p>- Top -<p>Top", "- Top -", "first-duplicate", 1),
        ("<p>- Top -<p>Top", "Top", "first-duplicate", 0),
        ("<p>- Top -<p>Top", "- Top -", "duplicate-count", 2),
        ("<p>Top<p>top", "top", "duplicate-count", 1),
        ("<p>Top<p>top", "top", "first-duplicate", 0),
        ("<p>Comments (3)<p>Com ments 12", "Com ments 12", "duplicate-count", 2),
        ("<p>|<b>12</b>", "12", "duplicate-count", 2),
        ("<p>see ftp://x", "see ftp://x", "regexp.url", 1),
        ("<p>(WWW.x.org)", "(WWW.x.org)", "regexp.url", 2),
        ("<p>www.x.org ftp://x", "www.x.org ftp://x", "regexp.url", 1),
        ("<p>www and more:", "www and more:", "regexp.url", 0),
        ("<p>on 1.2.2003", "on 1.2.2003", "regexp.date", 1),
        ("<p>2003-02-01T", "2003-02-01T", "regexp.date", 1),
        ("<p>1/2/03", "1/2/03", "regexp.date", 1),
        ("<p>3 Sept 2003", "3 Sept 2003", "regexp.date", 2),
        ("<p>they may", "they may", "regexp.date", 0),
        ("<p>1.2.20034", "1.2.20034", "regexp.date", 0),
        ("<p>at 12:30", "at 12:30", "regexp.time", 1),
        ("<p>112:30", "112:30", "regexp.time", 0),
        ("<p>1) one", "1) one", "bullet", 4),
        ("<p>one", "one", "bullet", 0),
        ("<p>x<p>y", "x", "position", 1),
        ("<p>x<p>y", "y", "position", 6),
        ("<p>a b c d", "a b c d", "document.word-count", 3),
        ("<p>A. B. C.", "A. B. C.", "document.sentence-count", 2),
        ("<p>x<p>y", "y", "document.block-count", 2),
        ("<p>a b c<p>y", "y", "fragmentation", 2),
        ("<div>a b c</div><div>y</div>", "y", "div-group.word-ratio", 3),
        ("<div>a b c</div><div>y</div>", "y", "document.max-div-group", 8),
        ("<div>a b c <a href=/>y</a></div>", "y", "div-group.word-ratio", 8),
        ("<div>a b <a href=/>c d e</a></div><div>y</div>", "c d e", "div-group.word-ratio", 4),
        ("<p>a b c<div>y</div>", "a b c", "div-group.word-ratio", 8),
        ("<p>a b c", "a b c", "document.max-td-group", 10),
        ("<table><tr><td>a b c<td>y</table>", "y", "td-group.word-ratio", 3),
        ("<table><tr><td>a b c<td>y</table>", "y", "document.max-td-group", 8),
    ],
)  # fmt: skip
def test_features(html: str, text: str, feature: str, expected: int) -> None:
    assert value(dump_html(html), text, feature) == expected


def column(html: str, feature: str) -> dict[str, int]:
    """Of each block by its text."""
    document = dump_html(html)
    runs = document.runs[visible_rows(document)]
    texts = [document.data[run["start"] : run["end"]].decode() for run in runs]
    values = block_features(document)[:, FEATURES.index(feature)].tolist()
    return dict(zip(texts, values, strict=True))


@pytest.mark.parametrize("tag", ["div", "td"])
def test_groups_are_the_direct_descendants(tag: str) -> None:
    """The thesis (section 4.2) gives this page and its groups: (a, d, g), (b, c), (e, f)."""
    html = "<div> a <div> b c </div> d <div> e f </div> g </div>"
    if tag == "td":
        html = html.replace("<div>", "<table><tr><td>").replace("</div>", "</td></tr></table>")
    # three and two of seven words, in tenths: 1 for the first tenth
    assert column(html, f"{tag}-group.word-ratio") == {"a": 5, "b c": 3, "d": 5, "e f": 3, "g": 5}
    assert set(column(html, f"document.max-{tag}-group").values()) == {5}


def test_blocks_are_the_text_between_tags() -> None:
    """The thesis (section 3.2) gives this page and its three blocks."""
    assert list(column("<p>Hello <b><i>world</i></b>!</p>", "position")) == ["Hello", "world", "!"]


def test_bullets_of_one_list_are_alike_and_others_differ() -> None:
    """The thesis (section 4.2): each combination of matches has a value of its own."""
    kinds = ["- x", "• x", "1. x", "1) x", "(1) x", "a. x", "a) x", "(a) x", "iv. x", "iv) x", "(iv) x"]
    found = column("".join(f"<p>{kind}" for kind in kinds), "bullet")
    assert sorted(found.values()) == list(range(1, 12))
    same = [["- x", "– x", "—"], ["* x", "•", "o x"], ["1. x", "23. x", "999.", "1. "], ["b) x", "Z) x"]]
    for group in same:
        assert len(set(column("".join(f"<p>{kind}" for kind in group), "bullet").values())) == 1
    none = ["-x", "1.5 m", "1", "2024. x", "x", "(1. x", "ab. x", "1)x", "o", "()", "( x", "(", "iiiiii. x"]
    assert set(column("".join(f"<p>{text}" for text in none), "bullet").values()) == {0}


@pytest.mark.parametrize(
    "number", [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 16, 23, 24, 47, 48, 95, 96, 127, 128, 900]
)
def test_counts_map_to_the_largest_bin_that_is_not_larger(number: int) -> None:
    """The thesis (section 3.4) maps numbers so; the bins are ours."""
    text = " ".join(["x"] * number)
    bins = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
    assert value(dump_html(f"<p>{text}"), text, "token.alpha-abs") == bisect_right(bins, number)


def test_alternative_text_is_an_image() -> None:
    document = dump_html("<p>x <img alt=y>", alt_text=True)
    assert value(document, "y", "container.img") == 1


@given(page=HTML | st.text(max_size=200))
def test_features_of_any_page(page: str) -> None:
    for document in (dump_html(page), dump_text(page)):
        found = block_features(document)
        assert found.shape == (
            int((document.segments["flags"][document.runs["segment"]] & 2 == 0).sum()),
            len(FEATURES),
        )
        assert found.max(initial=0) <= 14
        assert (found == block_features(document)).all()


def test_rows_that_are_not_there() -> None:
    document = PAIRS[0].document
    assert features(document.tables, np.zeros(0, np.int32)).shape == (0, len(FEATURES))
    for row in (-1, len(document.runs)):
        with pytest.raises(IndexError):
            features(document.tables, np.array([row]))


def test_slots() -> None:
    slots = make_slots(without=("position", "bullet"), window=1)
    names = {name for name, _ in slots}
    assert names == set(FEATURES) - {"position", "bullet"}
    assert [offset for name, offset in slots if name == "container.p"] == [-1, 0, 1]
    assert [offset for name, offset in slots if name == "document.word-count"] == [0]
    with pytest.raises(TrainingError, match="no feature 'colour'"):
        make_slots(without=("colour",))


def test_attributes_tell_neighbours_and_the_ends_of_the_page() -> None:
    values = np.zeros((2, len(FEATURES)), np.uint8)
    values[:, 0] = 1, 2
    slots = (("container.p", 0), ("container.p", 1), ("container.a", -1))
    assert attributes(values, slots, attribute_names(slots)) == [["0:1", "1:2", "2:15"], ["0:2", "1:15"]]
    assert attributes(values[:0], slots, attribute_names(slots)) == []


# the model ----------------------------------------------------------------------------------------


def any_model(seed: int = 0) -> VictorModel:
    slots = make_slots(window=1)
    random = np.random.default_rng(seed)
    return VictorModel(
        slots,
        random.normal(0, 0.3, (16 * len(slots), 5)).astype(np.float32),
        random.normal(0, 1, (5, 5)).astype(np.float32),
        about={"name": "any"},
    )


MODEL = any_model()


def test_round_trip(tmp_path: Path) -> None:
    MODEL.with_threshold(1.5).save(tmp_path / "v.ncm")
    again = load_model(tmp_path / "v.ncm")
    assert isinstance(again, VictorModel)
    assert (again.threshold, again.about, again.slots) == (1.5, {"name": "any"}, MODEL.slots)
    assert replace(again, threshold=0.0).to_bytes() == MODEL.to_bytes()
    assert pickle.loads(pickle.dumps(MODEL)).to_bytes() == MODEL.to_bytes()
    method = load_method("victor", tmp_path / "v.ncm", 2.0)
    assert isinstance(method, Victor)
    assert method.model.threshold == 2.0
    with pytest.raises(ModelError, match="no preset 'precision'"):
        load_method("victor", tmp_path / "v.ncm", "precision")


@pytest.mark.parametrize(
    ("change", "tables"),
    [
        ({"slots": [["colour", 0]]}, {}),
        ({"slots": []}, {}),
        ({"slots": None}, {}),
        ({"labels": "phlc"}, {}),
        ({"features": 2}, {}),
        ({"threshold": "high"}, {}),
        ({"threshold": None}, {}),
        ({"threshold": float("nan")}, {}),
        ({}, {"state": np.zeros((16, 5), np.float32)}),
        ({}, {"transitions": np.zeros((4, 5), np.float32)}),
        ({}, {"transitions": np.full((5, 5), np.inf)}),
    ],
    ids=str,
)
def test_what_does_not_fit(change: dict[str, Any], tables: dict[str, Any]) -> None:
    header, found = unpack(MODEL.to_bytes())
    with pytest.raises(ModelError, match="not a usable model"):
        VictorModel.from_bytes(pack(header | change, found | tables))


def test_kinds_of_models_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="en holds a model of kind 'ngram', not a random field of Victor's"):
        load_model("en", entry_of("victor").kinds)
    MODEL.save(tmp_path / "v.ncm")
    with pytest.raises(ModelError, match="holds a model of kind 'victor', not n-grams"):
        read_ngrams(tmp_path / "v.ncm")
    for name in (tmp_path / "v.ncm", "en", "auto"):
        method = load_method("victor", name, -1.0)
        assert isinstance(method, Victor)
        assert method.model.threshold == -1.0
    with pytest.raises(ValueError, match="the method ngram needs a model: n-grams or a hybrid"):
        entry_of("ngram").make(MODEL)


@given(page=HTML)
def test_any_page_is_read(page: str) -> None:
    document = dump_html(page)
    clean = MODEL.read(document)
    assert clean.shape == (len(document.runs),)
    assert ((clean >= 0) & (clean <= 1)).all()
    kept = Victor(MODEL).keep(document)
    assert kept.scores is not None
    assert np.isfinite(kept.scores).all()
    hidden = document.segments["flags"] & 2 != 0
    assert not kept.mask[hidden].any()


def test_threshold_decides() -> None:
    document = PAIRS[0].document
    scores = Victor(MODEL).keep(document).scores
    assert scores is not None
    for threshold in (-3.0, 0.0, 3.0):
        kept = Victor(MODEL.with_threshold(threshold)).keep(document)
        assert kept.mask.tolist() == (scores >= threshold).tolist()


def test_the_shipped_model() -> None:
    data = model_bytes("victor")
    assert len(data) < 1_000_000
    model = load_model("victor")
    assert model.to_bytes() == data
    assert model.about["training"]["pages"] > 1000
    kept: Kept = load_method("victor").keep(PAIRS[2].document)
    texts = [str(segment) for segment, mask in zip(PAIRS[2].document, kept.mask, strict=True) if mask]
    assert PROSE[2] in " ".join(texts)
    assert not any("Contact" in text for text in texts)
    assert "\nvictor " in model_table()
    card = describe("victor", 5)
    assert "heaviest for keeping" in card
    assert "container.a" in describe("victor", 200)


# training -----------------------------------------------------------------------------------------


@pytest.fixture
def crfsuite() -> Any:
    return pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")


@pytest.mark.usefixtures("crfsuite")
def test_training_learns_and_is_deterministic() -> None:
    model = train_victor(PAIRS, about={"name": "ferries"}, rare=0)
    assert train_victor(PAIRS, about={"name": "ferries"}, rare=0).to_bytes() == model.to_bytes()
    training = model.about["training"]
    assert (training["pages"], training["sites"], training["annotated"]) == (12, 12, 0)
    for pair in pages(15)[12:]:
        kept = Victor(model).keep(pair.document)
        assert kept.mask.tolist() == pair.alignment.clean.tolist()


@pytest.mark.usefixtures("crfsuite")
def test_annotated_pages_count_as_pairs_do() -> None:
    annotated = [Annotated(p.name, p.document, labels_from_alignment(p), p.site) for p in PAIRS]
    one, other = train_victor(PAIRS), train_victor([], annotated)
    assert one.state.tobytes() == other.state.tobytes()
    both = train_victor(PAIRS[:10], annotated[10:], without=("position",))
    assert both.about["training"]["annotated"] == 2
    assert both.about["training"]["without"] == ["position"]
    assert "position" not in {name for name, _ in both.slots}


@pytest.mark.usefixtures("crfsuite")
def test_hidden_text_is_not_trained_on() -> None:
    shown = [Annotated(p.name, p.document, labels_from_alignment(p)) for p in PAIRS]
    html = "<div hidden><p>Two boats wait.</p></div><p>One boat sails."
    document = dump_html(html)
    labels = labels_from_kept(document, np.ones(len(document), bool))
    model = train_victor([], [*shown, Annotated("hidden", document, labels)])
    assert sum(model.about["training"]["blocks"].values()) == sum(len(p.document.runs) for p in PAIRS) + 1


@pytest.mark.usefixtures("crfsuite")
def test_nothing_to_learn() -> None:
    with pytest.raises(TrainingError, match="no pages to train on"):
        train_victor([])
    document = PAIRS[0].document
    for mask, side in ((np.ones, "remove"), (np.zeros, "keep")):
        labels = labels_from_kept(document, mask(len(document), bool))
        with pytest.raises(TrainingError, match=f"no text to {side}"):
            train_victor([], [Annotated("x", document, labels)])


def test_without_the_trainer_training_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    with pytest.raises(TrainingError, match=r"pip install 'ncleaner\[train\]'"):
        train_victor(PAIRS)


def test_reads_as_the_trainer_does(crfsuite: Any, tmp_path: Path) -> None:
    """The same features, weights and marginals, from the attributes on."""
    slots = make_slots(window=2)
    names = attribute_names(slots)
    trainer = crfsuite.Trainer("lbfgs", verbose=False)
    rows = [attributes(block_features(pair.document), slots, names) for pair in PAIRS]
    for pair, row in zip(PAIRS, rows, strict=True):
        trainer.append(row, [LABELS[label] for label in labels_from_alignment(pair).tolist()])
    trainer.set_params({"c2": 1.0, "max_iterations": 50})
    trainer.train(str(tmp_path / "crf"))
    tagger = crfsuite.Tagger()
    tagger.open(str(tmp_path / "crf"))
    info = tagger.info()
    state = np.zeros((names.size, 5), np.float32)
    for (name, label), weight in info.state_features.items():
        state[names.reshape(-1).tolist().index(name), LABELS.index(label)] = weight
    moves = np.full((5, 5), 0, np.float32)
    for (before, label), weight in info.transitions.items():
        moves[LABELS.index(before), LABELS.index(label)] = weight
    model = VictorModel(slots, state, moves)
    known = [LABELS.index(label) for label in tagger.labels()]
    for pair, row in zip(PAIRS, rows, strict=True):
        tagger.set(row)
        expected = [[tagger.marginal(LABELS[label], t) for label in known] for t in range(len(row))]
        scores = model.scores(block_features(pair.document))[:, known]
        assert marginals(scores, moves[np.ix_(known, known)]) == pytest.approx(np.array(expected), abs=1e-5)


def test_the_label_to_remove_is_last() -> None:
    assert LABELS[OTHER] == "o"
