"""Small files that are broken, or made to break a reader: `corpus` makes them, each with what must be said of it."""
