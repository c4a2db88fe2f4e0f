"""Reports: results in, JSON and text out. They compute nothing."""

from skinproof.report._content import Report
from skinproof.report.audit_json import AUDIT_SCHEMA, audit_schema, audit_to_json
from skinproof.report.audit_text import show_audit
from skinproof.report.json_report import SCHEMA, document, schema, to_json
from skinproof.report.several_json import SEVERAL_SCHEMA, SeveralJson, several_schema
from skinproof.report.text import show

__all__ = [
    "AUDIT_SCHEMA",
    "SCHEMA",
    "SEVERAL_SCHEMA",
    "Report",
    "SeveralJson",
    "audit_schema",
    "audit_to_json",
    "document",
    "schema",
    "several_schema",
    "show",
    "show_audit",
    "to_json",
]
