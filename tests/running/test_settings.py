"""Settings: what workers, clusters and manifests need of them."""

from __future__ import annotations

import pickle

from ncleaner.recipe import Recipe
from ncleaner.running.settings import Settings


def test_settings_are_keys_that_pickle() -> None:
    """Executors keep their pools by settings."""
    settings = [Settings(Recipe(method="kimatu", parameters={"sure": sure})) for sure in (0.32, 0.4)]
    pools = {each: each.recipe.parameters["sure"] for each in settings}
    assert [pools[pickle.loads(pickle.dumps(each))] for each in settings] == [0.32, 0.4]
