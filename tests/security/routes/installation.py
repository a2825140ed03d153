"""Routes of health, metrics, documents for everyone, and pages of the operator."""

from __future__ import annotations

from tests.security.routes.addresses import API, Audiences

AUDIENCE: Audiences = {
    f"{API}/openapi.json": {"GET": "public", "HEAD": "public"},
    f"{API}/audit": {"GET": "operator"},
    "/healthz": {"GET": "public"},
    "/readyz": {"GET": "public"},
    "/metrics": {"GET": "near"},
    "/api/docs": {"GET": "public"},
    "/static": {"GET": "public"},
    "/privacy": {"GET": "public"},
    "/admin/accounts": {"GET": "operator", "POST": "operator"},
    "/admin/accounts/{account_id}/reset": {"POST": "operator"},
    "/admin/accounts/{account_id}/disable": {"POST": "operator"},
    "/admin/accounts/{account_id}/enable": {"POST": "operator"},
    "/admin/accounts/{account_id}/delete": {"GET": "operator", "POST": "operator"},
    "/admin/audit": {"GET": "operator"},
    "/admin/audit.csv": {"GET": "operator"},
    "/admin/runs": {"GET": "operator"},
    "/admin/runs/{run_id}/retry": {"POST": "operator"},
}
