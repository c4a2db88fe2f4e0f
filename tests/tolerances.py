"""Every tolerance of the tests, each with its reason. Absolute and relative both where both matter."""
