import json

import jsonschema
import pytest

from arms import make_arm
from reports import inspected, limited
from skinproof.report import SEVERAL_SCHEMA, SeveralJson, document, several_schema


def text_of(*entries):
    """The text of a list of (file, exit code, what is known) of a command."""
    made = SeveralJson("check")
    counts = {}
    text = made.opening()
    for file, code, known in entries:
        counts[code] = counts.get(code, 0) + 1
        text += made.entry(file, code, **known)
    return text + made.closing(counts)


def validate(found):
    jsonschema.Draft202012Validator(several_schema()).validate(found)


def test_it_is_json_that_fits_the_schema():
    report = limited(1, gated="2mm")
    found = json.loads(
        text_of(("a.glb", 0, {"report": inspected(make_arm())}), ("b", 3, {"error": "ö"}), ("c", 1, {"report": report}))
    )
    validate(found)
    assert found["schema"] == SEVERAL_SCHEMA == "skinproof-reports-1"
    assert [file["exit_code"] for file in found["files"]] == [0, 3, 1]
    assert found["files"][1] == {"file": "b", "exit_code": 3, "error": "ö", "report": None}
    assert found["files"][2]["report"] == json.loads(json.dumps(document(report)))
    assert (found["passed"], found["failed"], found["not_judged"], found["exit_code"]) == (1, 1, 1, 3)


def test_it_looks_as_if_it_had_been_written_at_once():
    entries = [("a.glb", 0, {"report": inspected(make_arm())}), ("b.glb", 3, {"error": "broken"})]
    text = text_of(*entries)
    assert text == json.dumps(json.loads(text), indent=2) + "\n"
    assert text.isascii()


def test_the_schema_bites_into_the_reports_too():
    jsonschema.Draft202012Validator.check_schema(several_schema())
    found = json.loads(text_of(("a.glb", 0, {"report": inspected(make_arm())})))
    validate(found)
    found["files"][0]["report"]["verdict"] = "perhaps"
    with pytest.raises(jsonschema.ValidationError):
        validate(found)
    found = json.loads(text_of(("a.glb", 3, {"error": "broken"})))
    for key in found:
        with pytest.raises(jsonschema.ValidationError, match="required"):
            validate({name: value for name, value in found.items() if name != key})
