"""The API against its own description: whatever is sent, no answer is a crash, and each is as described."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from recollect import AsyncMemory, Place
from recollect.core.types import Message
from recollect.faces.http.api import describe
from tests.faces.http.conftest import OPERATOR, Served, serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EACH = 10
ENDLESS = r"/events/stream$"

config = schemathesis.Config.from_dict({"generation": {"mode": "all"}})
schema = schemathesis.openapi.from_dict(describe(), config=config).exclude(path_regex=ENDLESS)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("schema")
    with serving(folder) as served:
        served.run(_tell)
        yield served


async def _tell(memory: AsyncMemory) -> None:
    place = Place("discord", "g1", "c-dev", name="dev", public=True)
    await memory.add(Message("m1", "ann", place, "I collect porcelain otters", memory._clock(), "Ann"))
    await memory.remember("Collects porcelain otters", user="ann", place=place, message="m1")


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=EACH,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_the_api_does_what_its_description_says(case: schemathesis.Case, api: Served):
    case.call_and_validate(base_url=api.url, headers=OPERATOR, checks=CHECKS)


def test_the_description_is_complete():
    for path, methods in describe()["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            assert operation["summary"].endswith("."), where
            assert operation["operationId"], where
            assert operation["security"] == [{"bearer": []}], where
            assert {"200", "201"} & operation["responses"].keys(), where
            for status in ("401", "422", "503"):
                assert list(operation["responses"][status]["content"]) == ["application/problem+json"], where
            for parameter in operation.get("parameters", ()):
                assert parameter["schema"], where
    ids = [each["operationId"] for methods in describe()["paths"].values() for each in methods.values()]
    assert len(ids) == len(set(ids))
    assert describe()["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
