from pathlib import Path

import pytest

from skinproof.findings import REGISTRY
from skinproof.gate import CHECKS
from skinproof.report import schema
from skinproof.report.catalogue import PAGES, findings_page, main, report_page

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", PAGES)
def test_the_page_in_docs_is_the_one_that_is_generated(name):
    said = "run: python -m skinproof.report.catalogue docs"
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), said


def test_main_writes_every_page(tmp_path):
    main(tmp_path)
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {
        name: page() for name, page in PAGES.items()
    }


def test_every_finding_has_its_entry_under_its_severity():
    page = findings_page()
    assert len(REGISTRY) > 20
    titles = {"error": "## Errors", "warning": "## Warnings", "info": "## Notes"}
    starts = {severity: page.index(title) for severity, title in titles.items()}
    for code in REGISTRY.values():
        at = page.index(f"### {code.name}\n")
        heading = max((start, severity) for severity, start in starts.items() if start < at)[1]
        assert heading == code.severity
        assert code.explanation in page
        assert code.remedy in page


def test_every_check_is_listed():
    assert len(CHECKS) == 10
    assert all(f"| `{name}` | {holds} |" in findings_page() for name, holds in CHECKS.items())


def test_every_field_of_the_schema_is_described():
    rows = [line.split(" | ") for line in report_page().splitlines() if line.startswith("| `")]
    several = next(number for number, row in enumerate(rows) if number and row[0] == "| `schema`")
    of_list, fields = ([row[0].strip("| `") for row in table] for table in (rows[several:], rows[:several]))
    assert len(fields) == len(set(fields)) > 100
    assert len(of_list) == len(set(of_list)) > 10
    assert all(len(row) == 3 and row[2].strip(" |") for row in rows)
    assert {"verdict", "findings[].code", "displacement.max.clip", "displacement.causes[].max.vertex"} <= set(fields)
    assert set(schema()["properties"]) == {field for field in fields if "." not in field and "[" not in field}
