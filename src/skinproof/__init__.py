"""skinproof: what happens to a character's skin between the artist and the screen."""
