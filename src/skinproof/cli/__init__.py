"""The command line: parses options, calls the library, prints. One file per command."""

from skinproof.cli.main import main

__all__ = ["main"]
