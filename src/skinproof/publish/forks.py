"""What a forked child inherits is void there, and must not keep the parent's locks alive."""

from __future__ import annotations

import os
import weakref

from skinproof._native import _publish

inherited: weakref.WeakSet[_publish.Owner | _publish.Reader] = weakref.WeakSet()
"""Every owner and reader of this process: the one list that fork needs."""


def _abandon() -> None:
    """Close the descriptors in the child: an open-file-description lock lives as long as one copy of them."""
    for handle in list(inherited):
        handle.abandon()
    inherited.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_abandon)
