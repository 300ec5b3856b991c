"""Models that a run learns from its inputs before it cleans them."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ncleaner import Cleaner, load_model
from ncleaner.errors import InputError
from ncleaner.lab.training.for_run import learned
from ncleaner.options import OptionError
from ncleaner.reading.inputs import find_inputs
from ncleaner.recipe import Recipe
from ncleaner.running.engine import run
from ncleaner.running.settings import Settings
from ncleaner.sinks.formats import Output
from ncleaner.storage.local import LocalFolder

from ...archives import http, members, warc, write
from ...cli.test_app import ncleaner
from ...runs import outputs_in

THINGS = "Färjan Bron Bageriet Verkstaden Skolan Biblioteket Kvarnen Trädgården Posten Hamnkontoret".split()
DEEDS = (
    "har öppnat igen efter vintern, sedan taket har lagats och väggarna har målats om av grannarna",
    "är stängd till slutet av månaden, eftersom rören i källaren läcker och måste bytas ut",
    "drivs av tre systrar som har tagit över rörelsen från sin mormor och vill hålla den vid liv",
    "står sedan hundra år på samma plats, och ingen i byn vill att den ska flyttas därifrån",
    "söker två medhjälpare för sommaren, som kan gå upp tidigt och bära tunga lådor hela dagen",
    "bjuder in alla på söndag som vill se hur de nya rummen har blivit och dricka en kopp kaffe",
)
MENU = "Hem Kontakt Nyheter Kundvagn Logga Prenumerera Arkiv Kalender Sök Annonser".split()


def body(number: int, site: int) -> bytes:
    draw = random.Random(number)
    menu = "".join(f"<li><a href=/{item}>{item}</a>" for item in random.Random(site).sample(MENU, 7))
    prose = "".join(
        f"<p>{' '.join(f'{draw.choice(THINGS)} i byn {draw.choice(DEEDS)}.' for _ in range(3))}"
        for _ in range(4)
    )
    note = "Vi använder kakor för att sidan ska fungera. Alla rättigheter förbehållna."
    return f"<title>Nyhet {number}</title><ul>{menu}</ul><h1>Nyhet {number}</h1>{prose}<p>{note}".encode()


def crawl(folder: Path, pages: int = 30, sites: int = 6) -> Path:
    folder.mkdir(exist_ok=True)
    for part in range(3):
        records = [
            warc(n, http(body(n, n % sites)), target=f"http://s{n % sites}.example/{n}")
            for n in range(part, pages, 3)
        ]
        write(folder / f"{part}.warc.gz", members(records))
    return folder


def rows(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for data in outputs_in(out).values() for line in data.splitlines()]


def cleaned(source: Path, out: Path, jobs: int = 1, **options: Any) -> Path:
    settings = Settings(Recipe(learn="auto", **options), output=Output(format="jsonl"))
    inputs = find_inputs([source])
    with learned(inputs, settings, out) as found:
        run(inputs, found, output=out, jobs=jobs)
    return out


def test_a_language_without_a_model_gets_one(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in")
    said: list[str] = []
    settings = Settings(Recipe(learn="auto"))
    with learned(find_inputs([source]), settings, tmp_path / "out", say=said.append):
        pass
    assert said == ["a model is learned from 30 of 30 pages in sv"]
    model = load_model(tmp_path / "out" / "_run" / "models" / "sv.ncm")
    assert model.about["language"] == "sv" and model.about["training"]["scheme"] == "raw pages"
    found = rows(cleaned(source, tmp_path / "out"))
    assert len(found) == 30 and {row["model"] for row in found} == {"sv"}
    # it is the model that `train` makes, and gives the same texts
    done = ncleaner("train", "--from-crawl", source, "--language", "sv", "-o", tmp_path / "sv.ncm")
    told = done.stderr.decode()
    assert done.returncode == 0 and told.startswith("30 pages read: 30 in sv\n")
    assert re.search(
        r"\nlearned +from 30 pages of \d+ sites whose text is certain: no page was cleaned", told
    )
    # the figures of the hybrid are those of its n-grams, and told once
    assert told.count("\nagreement ") == 1
    cleaner = Cleaner(model=tmp_path / "sv.ncm")
    assert {row["text"] for row in found} == {cleaner.clean(body(n, n % 6)) for n in range(30)}


@pytest.mark.untraced
def test_the_output_depends_on_no_worker(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in")
    whole = cleaned(source, tmp_path / "one")
    assert outputs_in(cleaned(source, tmp_path / "two", jobs=2)) == outputs_in(whole)
    models = [folder / "_run" / "models" / "sv.ncm" for folder in (whole, tmp_path / "two")]
    assert models[0].read_bytes() == models[1].read_bytes()


def test_a_later_run_takes_the_models_or_learns_anew(tmp_path: Path) -> None:
    source, out = crawl(tmp_path / "in"), tmp_path / "out"
    command = ("clean", source, "--learn", "-f", "jsonl", "-j", "1")
    first = ncleaner(*command, "-o", out)
    assert (
        "a model is learned from 30 of 30 pages in sv" in first.stderr.decode()
        and "without a model" not in first.stderr.decode()
    )
    again = ncleaner(*command, "-o", f"{out}/.")
    assert (
        again.returncode == 0
        and "learned" not in again.stderr.decode()
        and "3 inputs were finished" in again.stderr.decode()
    )
    crawl(source, pages=33)
    changed = ncleaner(*command, "-o", out)
    assert changed.returncode == 0 and "33 pages in sv" in changed.stderr.decode() and len(rows(out)) == 33
    # without the option, the outputs are others
    assert ncleaner("clean", source, "-f", "jsonl", "-o", out).returncode == 1


def test_an_output_without_a_directory(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in")
    done = ncleaner("clean", "--learn", source, "-f", "jsonl", "-q")
    assert done.returncode == 0 and not done.stderr
    assert {json.loads(line)["model"] for line in done.stdout.splitlines()} == {"sv"}


@pytest.mark.untraced
def test_texts_teach_too(tmp_path: Path) -> None:
    dump = Cleaner("everything")
    lines = [f"URL: http://s{n % 6}.example/{n}\n{dump.clean(body(n, n % 6))}\n" for n in range(30)]
    (tmp_path / "dump.txt").write_text("\n".join(lines), "utf-8")
    done = ncleaner("clean", "--learn", tmp_path / "dump.txt", "-f", "jsonl")
    assert "a model is learned from 30 of 30 pages in sv" in done.stderr.decode()
    assert {json.loads(line)["model"] for line in done.stdout.splitlines()} == {"sv"}


@pytest.mark.parametrize(
    ("pages", "sites", "said"),
    [
        (19, 6, "no model is learned of languages with fewer than 20 pages (sv: 19)"),
        (19, 1, "no model is learned of languages with fewer than 20 pages (sv: 19)"),
        (45, 1, "no model is learned from 20 pages in sv: 20 pages of 1 site"),
    ],
)
def test_what_teaches_too_little(tmp_path: Path, pages: int, sites: int, said: str) -> None:
    source = crawl(tmp_path / "in", pages, sites)
    done = ncleaner("clean", source, "--learn", "-f", "jsonl", "-o", tmp_path / "out")
    assert done.returncode == 0 and said in done.stderr.decode()
    assert {row["model"] for row in rows(tmp_path / "out")} == {"nonlexical"}


@pytest.mark.untraced
def test_languages_that_are_named(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in")
    done = ncleaner("clean", "--learn", "sv,de", source, "-f", "text", "-o", tmp_path / "out")
    assert "a model is learned from 30 of 30 pages in sv" in done.stderr.decode()
    assert "no model is learned of languages with fewer than 20 pages (de: 0)" in done.stderr.decode()
    capitals = ncleaner("clean", "--learn", "SWE", source)
    assert "a model is learned from 30 of 30 pages in sv" in capitals.stderr.decode()
    wrong = ncleaner("clean", "--learn", "XX", source)
    assert wrong.returncode == 2 and "XX" in wrong.stderr.decode()


def test_what_cannot_learn(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in", 3)
    with pytest.raises(OptionError, match="only `ncleaner clean` learns"):
        Cleaner(learn="auto")
    for recipe in (Recipe("bte", learn="auto"), Recipe(model="en", learn="auto")):
        with (
            pytest.raises(OptionError, match="one model cleans all pages"),
            learned(find_inputs([source]), Settings(recipe), tmp_path / "out"),
        ):
            pass
    with (
        pytest.raises(InputError, match="--learn reads its inputs twice"),
        learned(find_inputs(["-"]), Settings(Recipe(learn="auto")), tmp_path / "out"),
    ):
        pass


@pytest.mark.untraced
def test_shards_learn_the_same(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in")
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "ncleaner",
        "clean",
        source,
        "--learn",
        "-f",
        "jsonl",
        "-j",
        "1",
        "-q",
    ]
    whole = cleaned(source, tmp_path / "whole")
    running = [subprocess.Popen([*command, "-o", tmp_path / "out", "--shard", f"{n}/3"]) for n in range(1, 4)]
    assert [each.wait() for each in running] == [0, 0, 0]
    assert outputs_in(tmp_path / "out") == outputs_in(whole)
    models = [folder / "_run" / "models" / "sv.ncm" for folder in (whole, tmp_path / "out")]
    assert models[0].read_bytes() == models[1].read_bytes()
    assert not [*(tmp_path / "out" / "_run").glob(".models-*")]


@pytest.mark.untraced
def test_models_that_are_damaged_or_gone_are_learned_again(tmp_path: Path) -> None:
    source, out = crawl(tmp_path / "in"), tmp_path / "out"
    whole = outputs_in(cleaned(source, out))
    model = out / "_run" / "models" / "sv.ncm"
    data = model.read_bytes()
    model.write_bytes(data[:1000])
    assert outputs_in(cleaned(source, out)) == whole and model.read_bytes() == data
    model.unlink()
    cleaned(source, out)
    assert model.read_bytes() == data


def test_where_models_cannot_be_kept(tmp_path: Path) -> None:
    source, out = crawl(tmp_path / "in"), tmp_path / "out"
    (out / "_run").mkdir(parents=True)
    (out / "_run" / "models").write_text("mine")
    done = ncleaner("clean", source, "--learn", "-o", out)
    assert done.returncode == 1 and f"cannot write the output {out}/_run/models" in done.stderr.decode()
    assert (out / "_run" / "models").read_text() == "mine"


def test_another_run_keeps_its_models(tmp_path: Path) -> None:
    source, out = crawl(tmp_path / "in"), tmp_path / "out"
    cleaned(source, out)
    crawl(source, 33)
    with LocalFolder(out).log("_run/manifest.log"):
        done = ncleaner("clean", source, "--learn", "-o", out)
    assert done.returncode == 1 and "another run" in done.stderr.decode()
    assert (out / "_run" / "models" / "sv.ncm").is_file()


def test_a_sample_has_no_huge_pages(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in")
    huge = body(99, 1) + b"<p>" + b"Hela dagen i byn. " * 80_000
    (source / "huge.html").write_bytes(huge)
    done = ncleaner("clean", source, "--learn", "-f", "jsonl", "-o", tmp_path / "out")
    assert "a model is learned from 30 of 30 pages in sv" in done.stderr.decode()
    assert len(rows(tmp_path / "out")) == 31


def test_a_damaged_input_teaches_nothing(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in")
    (source / "a.warc.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0no gzip")
    (source / "b.html").write_bytes(bytes(9000))
    done = ncleaner("clean", source, "--learn", "-f", "jsonl", "-o", tmp_path / "out")
    assert done.returncode == 1 and "a model is learned from 30 of 30 pages in sv" in done.stderr.decode()
    assert {row["model"] for row in rows(tmp_path / "out")} == {"sv"}


def test_cleaning_without_it_loads_nothing_of_the_lab(tmp_path: Path) -> None:
    code = (
        "import sys; from ncleaner.cli.app import main; sys.argv = ['ncleaner', 'clean', '-q', sys.argv[1]]; "
        "import atexit; atexit.register(lambda: print([m for m in sys.modules if m.startswith('ncleaner.lab')])); "
        "main()"
    )
    (tmp_path / "page.html").write_bytes(body(1, 1))
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "page.html"], capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


SCRIPTS = {
    "th": "เด็กชายไปโรงเรียนวันนี้เพราะเขาอยากอ่านหนังสือเล่มใหม่|แม่ของเขาซื้ออาหารที่ตลาดเมื่อวานนี้|พ่อของเขาทำงานในเมืองทุกวัน|ยายเล่านิทานให้หลานฟังตอนกลางคืน",
    "lo": "ເດັກຊາຍໄປໂຮງຮຽນມື້ນີ້ເພາະລາວຢາກອ່ານປຶ້ມໃໝ່|ແມ່ຂອງລາວຊື້ອາຫານຢູ່ຕະຫຼາດມື້ວານນີ້|ພໍ່ຂອງລາວເຮັດວຽກຢູ່ໃນເມືອງທຸກວັນ|ແມ່ຕູ້ເລົ່ານິທານໃຫ້ຫຼານຟັງ",
    "km": "ក្មេងប្រុសទៅសាលារៀននៅថ្ងៃនេះ|គាត់ចង់អានសៀវភៅថ្មី|ម្តាយរបស់គាត់បានទិញម្ហូបនៅផ្សារកាលពីម្សិលមិញ|ឪពុករបស់គាត់ធ្វើការនៅក្នុងទីក្រុង។",
    "my": "ကောင်လေးသည် ယနေ့ ကျောင်းသို့ သွားသည်။|သူသည် စာအုပ်အသစ်ကို ဖတ်ချင်သည်။|သူ့အမေသည် မနေ့က ဈေးတွင် အစားအစာ ဝယ်ခဲ့သည်။|သူ့အဖေသည် မြို့တွင် အလုပ်လုပ်သည်။",
    "bo": "བུ་ཆུང་དེ་རིང་སློབ་གྲྭར་འགྲོ་གི་ཡོད།|ཁོས་དཔེ་ཆ་གསར་པ་ཞིག་ཀློག་འདོད་ཡོད།|ཁོའི་ཨ་མས་ཁ་སང་ཁྲོམ་ནས་ཟས་ཉོས་པ་རེད།|ཁོའི་ཨ་ཕས་གྲོང་ཁྱེར་ནང་ལས་ཀ་བྱེད་ཀྱི་ཡོད།",
    "am": "ልጁ ዛሬ ወደ ትምህርት ቤት ይሄዳል።|አዲስ መጽሐፍ ማንበብ ይፈልጋል።|እናቱ ትናንት ከገበያ ምግብ ገዛች።|አባቱ በከተማው ውስጥ በየቀኑ ይሠራል።",
    "ar": "يَذْهَبُ الصَّبِيُّ إِلَى الْمَدْرَسَةِ الْيَوْمَ.|يريد أن يقرأ كتابا جديدا في المساء.|اشترت أمه الطعام من السوق أمس مع جارتها.|يعمل أبوه في المدينة كل يوم من الصباح.",
    "ko": "소년은 오늘 새 책을 읽고 싶어서 학교에 간다.|그의 어머니는 어제 시장에서 음식을 샀다.|아버지는 매일 아침부터 도시에서 일한다.|할머니는 밤마다 재미있는 이야기를 들려준다.",
}  # fmt: skip


@pytest.mark.untraced
@pytest.mark.parametrize("language", SCRIPTS)
def test_every_script_can_be_learned(tmp_path: Path, language: str) -> None:
    sentences = SCRIPTS[language].split("|")
    records = []
    for n in range(24):
        draw = random.Random(n)
        menu = "".join(f"<li><a href=/{i}>{sentences[(n + i) % 4][:6]}</a>" for i in range(6))
        prose = "".join(f"<p>{n} {' '.join(draw.choices(sentences, k=5))}" for _ in range(4))
        html = (
            f"<title>{n}</title><nav class=menu><ul>{menu}</ul></nav>{prose}<footer>{menu}</footer>".encode()
        )
        records.append(warc(n, http(html), target=f"http://s{n % 6}.example/{n}"))
    source = write(tmp_path / "crawl.warc.gz", members(records))
    out = cleaned(source, tmp_path / "out")
    assert {row["model"] for row in rows(out)} == {language}
    assert all(sentences[0] in row["text"] or sentences[1] in row["text"] for row in rows(out))


@pytest.mark.untraced
def test_the_models_of_the_user_stay(tmp_path: Path) -> None:
    """A directory of models is used beside what is learned, and what it has is not learned."""
    source = crawl(tmp_path / "in")
    learned_in = tmp_path / "first" / "_run" / "models"
    cleaned(source, tmp_path / "first")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "swedish.ncm").write_bytes((learned_in / "sv.ncm").read_bytes())
    said: list[str] = []
    settings = Settings(Recipe(model=f"{tmp_path}/own", learn="auto"))
    with learned(find_inputs([source]), settings, tmp_path / "out", say=said.append) as found:
        assert (
            not said and load_model(tmp_path / "out" / "_run" / "models" / "sv.ncm").about["language"] == "sv"
        )
        assert found.model == tmp_path / "out" / "_run" / "models"


def test_a_sample_of_many_inputs_is_filled(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in", 45)
    for n in range(100):
        (source / f"{n}.html").write_text(
            f"<p>The harbour board decided on Monday to light the quay again, as in {n}."
        )
    done = ncleaner("clean", source, "--learn", "-f", "jsonl", "-o", tmp_path / "out")
    assert "a model is learned from 45 of 45 pages in sv" in done.stderr.decode()


def test_it_goes_with_a_survey_and_with_events(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in")
    options = (
        "--learn",
        "--sites",
        "auto",
        "--drop-seen",
        "-f",
        "jsonl",
        "-o",
        tmp_path / "out",
        "--log-json",
    )
    done = ncleaner("clean", source, *options)
    assert done.returncode == 0
    events = [json.loads(line) for line in done.stderr.decode().splitlines()]
    assert [each["what"] for each in events if each["event"] == "learned"] == [
        "a model is learned from 30 of 30 pages in sv"
    ]
    assert {row["model"] for row in rows(tmp_path / "out")} == {"sv"}


def test_no_advice_where_it_cannot_help(tmp_path: Path) -> None:
    source = crawl(tmp_path / "in", 45, 1)
    for options in (("--learn",), ("--model", "nonlexical")):
        done = ncleaner("clean", source, *options, "-f", "text", "-o", tmp_path / options[-1])
        assert "were cleaned without a model" not in done.stderr.decode()
    done = ncleaner("clean", source, "-f", "text", "-o", tmp_path / "plain")
    assert "45 pages in sv were cleaned without a model: `--learn`" in done.stderr.decode()
