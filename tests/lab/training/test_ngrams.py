from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.training.hybrid import train as train_model
from ncleaner.lab.training.ngrams import learned_alphabet
from ncleaner.lab.training.pairs import Pair
from ncleaner.modelling import STATISTICS, Scheme, Statistic
from ncleaner.modelling.alphabet import alphabet
from ncleaner.modelling.ngrams import NGramModel

PROSE = [
    "The ferry was late this morning, and nobody on the pier seemed to mind.",
    "She had lived above the bakery for thirty years before the river came.",
    "When the committee met again in autumn, two of its members had left.",
    "A good loaf wants time, and little else that money can buy.",
    "He wrote to the paper every week, and every week they printed it.",
]
MENU = ["Home", "Contact us", "Log in", "Imprint", "Privacy policy"]


def pair(number: int) -> Pair:
    items = "".join(f"<li><a href=/{item}>{item}</a>" for item in MENU[number % 3 :])
    return Pair(
        f"page{number}",
        dump_html(
            f"<ul>{items}</ul><p>{PROSE[number % 5]}<p>{PROSE[(number + 2) % 5]}<div>© 2024 Bakery</div>"
        ),
        f"<p>{PROSE[number % 5]}\n\n<p>{PROSE[(number + 2) % 5]}\n",
        f"site{number % 6}.example",
    )


PAIRS = [pair(number) for number in range(12)]


def train(pairs: list[Pair], **options: Any) -> NGramModel:
    return train_model(pairs, method="ngram", **options)


def grams(texts: list[str], order: int) -> Counter[str]:
    """Of folded text, framed: the same thing by string slices."""
    found: Counter[str] = Counter()
    for text in texts:
        framed = "\n" * (order - 1) + text.replace("©", "~") + "\n"
        found.update(framed[i : i + order] for i in range(len(framed) - order + 1))
    return found


def as_strings(model: NGramModel, order: int, side: str) -> Counter[str]:
    symbols = alphabet("ascii")
    level = model.levels[order - 1]
    found: Counter[str] = Counter()
    for key, count in zip(level.keys.tolist(), getattr(level, side).tolist(), strict=True):
        codes = [key >> symbols.bits * k & (1 << symbols.bits) - 1 for k in reversed(range(order))]
        found["".join(symbols.characters[code] for code in codes)] = count
    return +found


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_differential_counts_are_raw_minus_clean_and_never_below_zero(order: int) -> None:
    model = train(PAIRS, order=order, scheme="differential", alphabet="ascii")
    raw = grams([str(segment) for p in PAIRS for segment in p.document], order)
    clean = grams([line[3:] for p in PAIRS for line in p.gold.splitlines() if line], order)
    assert as_strings(model, order, "clean") == clean
    assert as_strings(model, order, "dirty") == raw - clean


def test_aligned_counts_are_those_of_the_labelled_segments() -> None:
    model = train(PAIRS, order=3, alphabet="ascii")
    texts = [str(segment) for p in PAIRS for segment in p.document]
    assert as_strings(model, 3, "clean") == grams([text for text in texts if text in PROSE], 3)
    assert as_strings(model, 3, "dirty") == grams([text for text in texts if text not in PROSE], 3)


@pytest.mark.parametrize("scheme", ["aligned", "differential"])
def test_training_is_deterministic_and_does_not_depend_on_chunks(
    scheme: Scheme, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(PAIRS, scheme=scheme).to_bytes()
    assert train(PAIRS, scheme=scheme).to_bytes() == whole
    monkeypatch.setattr("ncleaner.lab.training.counting._CHUNK", 50)
    assert train(PAIRS, scheme=scheme).to_bytes() == whole


@pytest.mark.parametrize("statistic", STATISTICS)
def test_what_was_trained_is_learned(statistic: Statistic) -> None:
    model = train(PAIRS[:10], statistic=statistic)
    for p in PAIRS[10:]:
        table = p.document.segments
        odds = model.statistics(p.document.data, table["start"], table["end"])
        assert [str(s) in PROSE for s in p.document] == (odds >= model.decision.threshold).tolist()


def test_header_tells_what_it_was_trained_on() -> None:
    about = train(PAIRS, about={"name": "x", "language": "en"}).about
    assert about["name"] == "x"
    assert about["training"]["pages"] == 12
    assert about["training"]["words"] == sum(int(p.alignment.words.sum()) for p in PAIRS)
    assert about["training"]["scheme"] == "aligned"


def test_validation_is_recorded() -> None:
    about = train(PAIRS).about
    assert about["training"]["sites"] == 6
    assert about["validation"]["f_score"] > 0.9
    names = ("precision", "recall", "f_score")
    assert set(about["validation"]) == {*names, *(f"{name}_error" for name in names)}


@pytest.mark.filterwarnings("ignore::ncleaner.TrainingWarning")
def test_nothing_to_train_on() -> None:
    with pytest.raises(TrainingError, match=r"no pages.*50"):
        train([])
    same = Pair("x", dump_html(f"<p>{PROSE[0]}"), PROSE[0])
    with pytest.raises(TrainingError, match=r"no dirty text.*the same"):
        train([same])
    with pytest.raises(TrainingError, match="all clean files are empty"):
        train([Pair("x", dump_html(f"<p>{PROSE[0]}"), " \n")])


def test_no_such_option() -> None:
    with pytest.raises(TypeError, match=r"no option 'ordr': did you mean order\?"):
        train(PAIRS, ordr=3)


def test_pairs_that_do_not_belong_together_are_named_and_left_out() -> None:
    foreign = Pair("odd", dump_html(f"<p>{PROSE[0]}"), "Entirely different words stand here instead.")
    with pytest.warns(
        TrainingWarning, match=r"1 of 13 .*do not belong together.*odd \(0 %\); they are left out"
    ):
        assert train([*PAIRS, foreign]).to_bytes() == train(PAIRS).to_bytes()
    with pytest.raises(TrainingError, match=r"2 of 3 .*odd \(0 %\), odd \(0 %\); check that"):
        train([foreign, foreign, PAIRS[0]])


def test_an_empty_clean_file_makes_all_of_its_page_dirty() -> None:
    shell = Pair("shell", dump_html("<p>Nothing but a shell"), "")
    with pytest.warns(TrainingWarning, match="1 clean file is empty.*: shell"):
        model = train([*PAIRS, shell], order=3, alphabet="ascii")
    dirty = as_strings(model, 3, "dirty") - as_strings(train(PAIRS, order=3, alphabet="ascii"), 3, "dirty")
    assert dirty == grams(["Nothing but a shell"], 3)


def test_few_pages_are_said_to_be_few() -> None:
    with pytest.warns(TrainingWarning) as said:
        train(PAIRS[:3])
    assert "only 3 sites" in str(said[0].message)
    assert "only 3 pages to train on: about 50 are advised" in str(said[1].message)
    with pytest.warns(TrainingWarning) as said:
        model = train(PAIRS[:1])
    assert [str(w.message)[:8] for w in said] == ["only one", "all page"]
    assert (model.decision.statistic, model.decision.threshold) == ("segment", 0.0)


def test_more_examples_count_on_their_side() -> None:
    dirty = dump_text("Order now\n\nOrder now\n\nUnsubscribe")
    clean = dump_text("The orchard was sold in spring.")
    plain = train(PAIRS, order=3, alphabet="ascii")
    more = train(PAIRS, order=3, alphabet="ascii", more_clean=[clean], more_dirty=[dirty])
    added = as_strings(more, 3, "dirty") - as_strings(plain, 3, "dirty")
    assert added == grams(["Order now", "Order now", "Unsubscribe"], 3)
    assert as_strings(more, 3, "clean") - as_strings(plain, 3, "clean") == grams(
        ["The orchard was sold in spring."], 3
    )


def test_adapting_a_model() -> None:
    base = train(PAIRS, order=3, alphabet="ascii", q=0.4, about={"name": "old"})
    own = Pair(
        "own",
        dump_html("<p>Moored boats<p>The orchard was sold in spring."),
        "The orchard was sold in spring.",
    )
    with pytest.warns(TrainingWarning):
        model = train([own], base=base)
    assert (model.order, model.q, model.alphabet.name) == (3, 0.4, "ascii")
    assert model.about["adapted_from"] == "old"
    assert model.decision == base.decision
    gained = as_strings(model, 3, "clean")
    assert gained["sol"] >= 1
    # the base weighs at most twice the new pages
    new = sum(grams(["The orchard was sold in spring."], 3).values())
    assert new < sum(gained.values()) <= 3.5 * new
    # no pages: only more text, and the base's decision
    dirtier = train([], base=base, more_dirty=[dump_text("Moored boats\n\nMoored boats")])
    assert dirtier.decision == base.decision
    assert as_strings(dirtier, 3, "dirty")["boa"] == 2
    with pytest.raises(TrainingError, match="no pages"):
        train([], base=base)


def test_the_default_order_follows_the_amount_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert train(PAIRS).order == 2
    monkeypatch.setattr("ncleaner.lab.training.ngrams._TRIGRAMS_FROM", 100)
    assert train(PAIRS).order == 3


def test_learned_takes_the_most_frequent_characters() -> None:
    symbols = learned_alphabet(["aaa bbb cc d", "\u0061\u0301\u00e1\u00e1"], size=3)
    assert symbols.parameters == {"characters": "abá", "cased": False}
    assert learned_alphabet(["ab"], size=60).parameters["characters"] == "ab"
    assert alphabet(symbols.header()).characters == symbols.characters
    for size in (0, 201):
        with pytest.raises(ValueError, match="from 1 to 200"):
            learned_alphabet(["a"], size=size)
    with pytest.raises(ValueError, match="no text"):
        learned_alphabet(["12 \n"])


def test_learned_from_text_that_nobody_wrote() -> None:
    # by the square of the number of marks this would take an hour
    assert learned_alphabet(["a" + "\u0301\u0323" * 1_000_000], size=4).size
    # half a character cannot be written into a model
    assert learned_alphabet(["ab\ud800\udfff"], size=60).parameters["characters"] == "ab"
