from __future__ import annotations

from ncleaner.document.tables import ZONES
from ncleaner.people.evaluation import convention_table
from ncleaner.training.conventions import ZoneUse


def test_advice_by_the_convention_of_a_gold_text() -> None:
    uses = {name: ZoneUse(name, 0, 0) for name in ZONES[1:]}
    lines = convention_table(uses).splitlines()
    assert [line.split()[0] for line in lines] == ["Convention", *ZONES[1:]]
    assert all(line.split()[1:] == ["0", "-", "unknown"] for line in lines[1:])

    uses |= {
        "headline": ZoneUse("headline", 100, 26),
        "caption": ZoneUse("caption", 100, 90),
        "comment": ZoneUse("comment", 100, 50),
        # no option for it
        "byline": ZoneUse("byline", 100, 0),
    }
    table, *advice = convention_table(uses).split("\n\n")
    assert table.splitlines()[1].split() == ["headline", "100", "26", "%", "left", "out"]
    assert [text.replace("\n", " ") for text in advice] == [
        "This gold text leaves out the headline on 74 % of the pages that have one: clean with --no-headline to be "
        "measured by its convention.",
        "This gold text contains captions on 90 % of the pages that have them: clean without --no-captions to be "
        "measured by its convention.",
        "This gold text contains readers' comments on 50 % of the pages that have them: no option fits all of its "
        "pages.",
    ]
    assert max(map(len, convention_table(uses).splitlines())) < 80
