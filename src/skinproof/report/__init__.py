"""Reports: results in, JSON and text out. They compute nothing."""

from skinproof.report._content import Report
from skinproof.report.json_report import SCHEMA, document, schema, to_json
from skinproof.report.text import show

__all__ = ["SCHEMA", "Report", "document", "schema", "show", "to_json"]
