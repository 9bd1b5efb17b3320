"""What is noted of a request: its route, never its query, as that holds ids and what people asked for."""

import logging
from http import HTTPStatus

_PROBES = ("/health", "/ready", "/metrics")
"""Asked every few seconds: worth a line only when something is wrong."""

access = logging.getLogger("recollect.web.access")


def note(method: str, route: str, status: int, seconds: float, role: str | None, client: str) -> None:
    """One request that was answered."""
    ms = round(seconds * 1000, 1)
    told = {"method": method, "route": route, "status": status, "ms": ms, "role": role, "client": client}
    level = logging.DEBUG if route in _PROBES and status < HTTPStatus.BAD_REQUEST else logging.INFO
    access.log(level, "%s %s %d in %.1f ms", method, route, status, ms, extra={"told": told})
