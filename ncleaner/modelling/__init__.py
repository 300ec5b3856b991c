"""Models and what they say of a page: n-grams, structure, both together, Victor's random field."""
