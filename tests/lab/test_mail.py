"""Mail: a model that has been trained on a few messages of a list tells what their authors wrote."""

from __future__ import annotations

import warnings

import pytest

import ncleaner
from ncleaner.cleaner import Cleaner
from ncleaner.dumping.plain import dump_text
from ncleaner.lab.training.pairs import Pair

# author, subject, who is answered, paragraphs that are quoted, paragraphs that are written
Message = tuple[str, str, str, list[str], list[str]]

MESSAGES: list[Message] = [
    (
        "Jane Doe", "lamps on the quay", "Rob Lee",
        ["Has anybody heard when the lamps on the\nnorth quay will be lit again?"],
        ["The board has promised it for November, but the\nboard has promised many things before.",
         "I shall believe it when I can read the paper\nthere after supper."],
    ),
    (
        "Rob Lee", "ferry timetable", "Ann Fox",
        ["The winter timetable has no boat before nine.\nIs that a misprint?"],
        ["It is no misprint. The crew asked for an hour more\nof sleep, and nobody found a reason to refuse."],
    ),
    (
        "Ann Fox", "sourdough in cold kitchens", "Tim Hall",
        ["My starter does nothing at all since the\nweather has turned. What should I do?",
         "I keep it beside the window."],
        ["Take it away from the window. A starter wants the\nwarmth that you would want yourself.",
         "Mine lives on top of the old radio, which is never\nswitched off, and it has doubled every day."],
    ),
    (
        "Tim Hall", "the old printing press", "Jane Doe",
        ["Who has the key to the shed with the press?"],
        ["The key hangs behind the door of the bakery, where\nit has hung since the printer retired.",
         "Please bring it back before Sunday, as the school\nwants to see how the letters are set."],
    ),
    (
        "May Reed", "bees", "Rob Lee",
        ["There is a swarm in the pear tree behind the\nchapel. Does it belong to anybody?"],
        ["It belongs to whoever comes first with a basket.\nI was there at noon, and they are in my garden now."],
    ),
    (
        "Lou Marsh", "choir practice", "Ann Fox",
        ["Are we going to sing on Thursday although\nthe hall is being painted?"],
        ["We shall sing in the boat house. It is cold there,\nbut the sound is better than the hall ever was.",
         "Bring a coat and the blue book."],
    ),
    (
        "Jane Doe", "a lost dog", "May Reed",
        ["A brown dog has been sitting on the pier\nsince yesterday. It will not come along."],
        ["That is the dog of the harbour master. He sits there\nwhenever his master has gone across, and he will go\n"
         "home by himself when the evening boat is in."],
    ),
    (
        "Tim Hall", "bicycle repair", "Lou Marsh",
        ["The chain comes off whenever I go uphill.", "I have shortened it twice."],
        ["Then it is too short by now. Count the teeth of the\nlargest wheel before you take out another link.",
         "A worn wheel looks like the fin of a shark, and no\nchain will stay on it."],
    ),
    (
        "Rob Lee", "reading group", "Jane Doe",
        ["Which book comes next? I have lost the list."],
        ["We agreed on the one about the lighthouse, which most\nof us have read and nobody remembers."],
    ),
    (
        "Ann Fox", "storm damage", "Tim Hall",
        ["The wind took the roof off the boat house\nlast night. Was anybody hurt?"],
        ["Nobody was inside. The roof lies in the field behind\nthe school, and is nearly whole.",
         "We want ten people and a tractor on Saturday morning\nto carry it back to where it came from."],
    ),
    (
        "May Reed", "apple day", "Lou Marsh",
        ["How many jars do we need this year?"],
        ["Last year we filled ninety, and they were gone by\nChristmas. I would not go below a hundred."],
    ),
    (
        "Lou Marsh", "the clock", "May Reed",
        ["The church clock is seven minutes slow again."],
        ["It has always been slow in autumn, when the rope is\nwet. My father set his watch by it all the same and\n"
         "missed the boat twice a year."],
    ),
]  # fmt: skip
TRAINED, UNSEEN = MESSAGES[:-3], MESSAGES[-3:]


def address(name: str) -> str:
    return name.lower().replace(" ", ".") + "@lists.example"


def raw(number: int, message: Message) -> str:
    """The message as it came: header, quotes at one or two levels in one of three ways, text, signature."""
    name, topic, other, quotes, texts = message
    prefix = ["> ", "| ", "".join(word[0] for word in other.split()) + "> "][number % 3]
    quoted = f"\n{prefix.rstrip()}\n".join(
        "\n".join(prefix + line for line in quote.splitlines()) for quote in quotes
    )
    if number % 2:
        quoted = f"> > {name} wrote something about it last week.\n{quoted}"
    return (
        f"From: {name} <{address(name)}>\nTo: harbour@lists.example\nSubject: Re: {topic}\n"
        f"Date: Mon, {number + 1} Nov 1999 1{number % 10}:05:00 +0100\n"
        f"Message-ID: <1999110{number}.{number * 7919}@lists.example>\n\n"
        f"{other} <{address(other)}> wrote:\n\n{quoted}\n\n" + "\n\n".join(texts) + "\n\n"
        f"-- \n{name}\n{address(name)}\nhttp://{name.split()[0].lower()}.example/\n"
        "To unsubscribe mail to harbour-request@lists.example\n"
    )


@pytest.fixture(scope="module")
def cleaner(tmp_path_factory: pytest.TempPathFactory) -> Cleaner:
    folder = tmp_path_factory.mktemp("mail")
    for name in ("raw", "clean"):
        (folder / name).mkdir()
    for number, message in enumerate(TRAINED):
        (folder / "raw" / f"{number}.txt").write_text(raw(number, message))
        (folder / "clean" / f"{number}.txt").write_text("\n\n".join(message[4]) + "\n")
    pairs = ncleaner.read_pairs(folder / "raw", folder / "clean")
    assert len(pairs) == len(TRAINED)
    with warnings.catch_warnings():
        # that nine messages are few is known here
        warnings.simplefilter("ignore")
        model = ncleaner.train(pairs, alphabet="ascii")
    # the shipped structure model knows pages, not mail
    assert model.text_by_ngrams
    return Cleaner(model=model)


def test_bodies_of_unseen_messages_stay_and_all_else_goes(cleaner: Cleaner) -> None:
    kept: list[str] = []
    removed: list[str] = []
    for number, message in enumerate(UNSEEN, len(TRAINED)):
        document = dump_text(raw(number, message))
        for segment, keep in zip(document, cleaner.keep(document).mask, strict=True):
            (kept if keep else removed).append(str(segment))
    bodies = [" ".join(text.split()) for message in UNSEEN for text in message[4]]
    assert kept == bodies
    # six lines of header and attribution, five of signature each, and the quotes
    assert len(removed) == 3 * (6 + 5) + 5


def test_quotes_of_messages_on_the_same_list_go() -> None:
    """As on a real list: what is quoted is the body of another message, and clean there. Worse than there: all
    of it was seen in training, word for word, as clean text."""
    bodies = [text for message in MESSAGES for text in message[4]]
    pairs = []
    for number, message in enumerate(MESSAGES * 4):
        quoted = (*message[:3], [bodies[(7 * number + 3) % len(bodies)]], message[4])
        document = dump_text(raw(number, quoted))
        pairs.append(Pair(f"{number}", document, "\n\n".join(message[4]), f"{number}.example"))
    cleaner = Cleaner(model=ncleaner.train(pairs[: 3 * len(MESSAGES)], alphabet="ascii"))
    kept: list[str] = []
    for pair in pairs[3 * len(MESSAGES) :]:
        mask = cleaner.keep(pair.document).mask
        kept += [str(segment) for segment in pair.document if mask[segment.index]]
    quotes = [text for text in kept if text.startswith((">", "| "))]
    assert len(quotes) <= len(MESSAGES) // 3
    assert len([text for text in kept if text not in quotes]) >= len(MESSAGES)
