"""Files of ours with any byte changed or missing: a clear error, or the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from fuzz.models import small_model

from ncleaner.classics.fiasco import Fiasco, FiascoModel
from ncleaner.classics.line_tree import Lines, LinesModel
from ncleaner.classics.victor import Victor, VictorModel
from ncleaner.dumping.html import dump_html
from ncleaner.errors import ModelError, NcleanerError, TrainingError
from ncleaner.lab.training.annotations import read_annotations, write_annotations
from ncleaner.lab.training.labels import labels_from_kept
from ncleaner.methods.base import Method
from ncleaner.methods.choice import read_ngrams
from ncleaner.methods.hybrid import Hybrid
from ncleaner.methods.ngram import NGram
from ncleaner.modelling.container import ModelFile, header_of
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.notices import Notices
from ncleaner.modelling.structure import Structure, shipped_structure

ROOT = Path(__file__).parent.parent

PAGE = dump_html(
    "<title>Fog</title><ul class=nav><li><a href=/>Home</a><li>About us</ul><div id=main><h1>Fog at sea</h1>"
    "<p>The <b>ferry</b> was late again this morning, and nobody knew why.<p>Those who had come early stood on "
    "the pier.</div><p>© The Gazette ✓"
)


def of_structure(structure: Structure) -> Hybrid:
    return Hybrid(HybridModel(read_ngrams("nonlexical"), structure))


def of_notices(notices: Notices) -> Hybrid:
    return Hybrid(HybridModel(read_ngrams("nonlexical"), shipped_structure()), notices)


KINDS: dict[str, tuple[type[ModelFile], Callable[..., Method]]] = {
    "ngram": (NGramModel, NGram),
    "structure": (Structure, of_structure),
    "hybrid": (HybridModel, Hybrid),
    "notices": (Notices, of_notices),
    "victor": (VictorModel, Victor),
    "fiasco": (FiascoModel, Fiasco),
    "lines": (LinesModel, Lines),
}


def scores(kind: str, data: bytes) -> bytes:
    """What a model file says of a page; ModelError where it is none, and that names the file."""
    cls, method = KINDS[kind]
    try:
        model = cls.from_bytes(data, "small.ncm")
    except ModelError as error:
        assert "small.ncm" in str(error)
        raise
    kept = method(model).keep(PAGE)
    told = b"" if kept.scores is None else kept.scores.tobytes()
    return kept.mask.tobytes() + told + kept.marks_of(PAGE).tobytes() + repr(kept.kinds).encode()


def outcome(kind: str, data: bytes) -> bytes | None:
    try:
        return scores(kind, data)
    except ModelError:
        return None


def flipped(data: bytes, places: Iterator[int] | range) -> Iterator[tuple[int, bytes]]:
    """The data with one byte changed, in one bit or in all."""
    for place in places:
        for mask in (1 << place % 8, 0xFF):
            changed = bytearray(data)
            changed[place] ^= mask
            yield place, bytes(changed)


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_with_a_byte_changed(kind: str) -> None:
    data = small_model(kind).to_bytes()
    whole = scores(kind, data)
    unchanged = {
        place for place, changed in flipped(data, range(len(data))) if outcome(kind, changed) == whole
    }
    others = [
        place
        for place, changed in flipped(data, range(len(data)))
        if outcome(kind, changed) not in (None, whole)
    ]
    assert not others
    # in the preamble: an older version, and what is reserved
    assert unchanged <= {8, 9, 10, 11}


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_is_cut_off_or_goes_on(kind: str) -> None:
    data = small_model(kind).to_bytes()
    for length in range(len(data)):
        assert outcome(kind, data[:length]) is None, length
        assert outcome(kind, data[length + 1 :]) is None, length
    assert outcome(kind, data + b"\0") is None
    assert outcome(kind, data * 2) is None


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_with_a_byte_too_many_or_too_few(kind: str) -> None:
    data = small_model(kind).to_bytes()
    for place in range(len(data)):
        for changed in (data[:place] + data[place + 1 :], data[:place] + b"\0" + data[place:]):
            assert outcome(kind, changed) is None, place


SHIPPED = sorted((ROOT / "models").glob("*.ncm"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_model_with_a_byte_changed(path: Path) -> None:
    data = path.read_bytes()
    kind = header_of(data)["kind"]
    whole = scores(kind, data)
    step = max(1, len(data) // 100)
    for place, changed in flipped(data, iter([*range(24), *range(24, len(data), step), len(data) - 1])):
        assert outcome(kind, changed) in ((None, whole) if 8 <= place < 12 else (None,)), place


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_refused_for_another_kind(kind: str) -> None:
    data = small_model(kind).to_bytes()
    for other in KINDS:
        # a hybrid takes n-grams alone, with the shipped structure model
        if other != kind and (other, kind) != ("hybrid", "ngram"):
            with pytest.raises(ModelError, match=f"holds a model of kind '{kind}'"):
                scores(other, data)


# --------------------------------------------------------------------------------------------------

LABELS = labels_from_kept(PAGE, np.arange(len(PAGE)) % 2 == 0)
ANNOTATIONS = write_annotations(PAGE, LABELS, "fog.html")


def read(data: bytes) -> list[int] | None:
    try:
        labels = read_annotations(data, "fog.anno", PAGE)
    except NcleanerError as error:
        assert isinstance(error, TrainingError)
        assert "fog.anno" in str(error)
        return None
    assert labels.shape == (len(PAGE.runs),)
    assert labels.max() < 5
    return list(labels.tolist())


def test_annotations_with_a_byte_changed() -> None:
    whole = read(ANNOTATIONS)
    assert whole == LABELS.tolist()
    tolerated = 0
    for place in range(len(ANNOTATIONS)):
        for value in {ANNOTATIONS[place] ^ 1 << bit for bit in range(8)} | {0, 0x0A, 0x09, 0x23, 0x6F, 0xFF}:
            changed = ANNOTATIONS[:place] + bytes([value]) + ANNOTATIONS[place + 1 :]
            found = read(changed)
            if found is not None and found != whole:
                # another label in the place of one: the only change that can be meant
                assert chr(value) in "phlco"
                assert ANNOTATIONS[place + 1 : place + 2] == b"\t"
            tolerated += found is not None
    assert tolerated > 100  # comments


def test_annotations_that_are_cut_off_or_have_a_byte_too_many_or_too_few() -> None:
    whole = read(ANNOTATIONS)
    for place in range(len(ANNOTATIONS) + 1):
        for changed in (
            ANNOTATIONS[:place],
            ANNOTATIONS[place:],
            ANNOTATIONS[:place] + ANNOTATIONS[place + 1 :],
            *(
                ANNOTATIONS[:place] + extra + ANNOTATIONS[place:]
                for extra in (b"\0", b"\n", b"\t", b" ", b"\xff", b"#")
            ),
        ):
            assert read(changed) in (None, whole), place
