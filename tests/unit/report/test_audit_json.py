from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest

from captures import drawn, make_walker
from skinproof.audit import audit, judge_capture
from skinproof.model import Capture
from skinproof.report import audit_schema, audit_to_json


def spoilt():
    palettes = drawn(make_walker(), 0, [0.2, 0.5, 0.8, 1.1, 1.4])
    palettes[1, 2:] = palettes[2, 2:]
    palettes[2, 0, 0, 0] = np.nan
    palettes[3] = palettes[3].swapaxes(1, 2)
    palettes[4, 3, 1, 3] += 5
    return Capture(palettes)


def test_it_keeps_its_schema_and_lists_every_draw_that_is_not_whole():
    capture = spoilt()
    found = audit(capture, make_walker())
    text = audit_to_json("capture.npz", "walker.glb", found, judge_capture(found, joint_count=4))
    document = json.loads(text)
    jsonschema.validate(document, audit_schema())
    assert [(one["draw"], one["kind"]) for one in document["draws"]] == [
        (1, "torn"), (2, "not finite"), (3, "wrong space"), (4, "unexplained"),
    ]  # fmt: skip
    assert document["verdict"] == "fail"
    assert document["draws"][0]["displacement"] > 0


def test_the_schema_refuses_what_is_none():
    found = audit(spoilt(), make_walker())
    document = json.loads(audit_to_json("c", "f", replace(found, draws=()), judge_capture(found, joint_count=4)))
    document["draws"] = [{"draw": 0, "kind": "whole"}]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, audit_schema())
