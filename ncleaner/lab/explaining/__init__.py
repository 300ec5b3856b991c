"""Why a segment is kept or removed: every step of a verdict, in numbers and in words."""
