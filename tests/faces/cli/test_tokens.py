"""`recollect tokens`: shown once, listed without their secret, ended by their id."""

from pathlib import Path

import pytest

from tests.faces.cli.conftest import Run


@pytest.mark.usefixtures("folder")
def test_a_token_is_made_for_a_person_listed_renewed_and_revoked(cli: Run):
    assert "No tokens yet" in cli("tokens").out
    made = cli("tokens", "create", "--as", "ann", "--in", "acme/#dev", "--label", "laptop", "--expires", "90d")
    secret = made.out.strip()
    assert secret.startswith("rcl_"), "scripts read the secret alone"
    token_id = secret.split("_")[1]
    assert f"token {token_id} for the memory of ann in #dev (laptop), expires" in made.err
    assert "not shown again" in made.err
    listed = cli("tokens", "list")
    assert listed.out.split("\t")[:4] == [token_id, "user", "ann in #dev", "laptop"]
    assert secret not in cli("tokens", "--json").out + listed.out
    renewed = cli("tokens", "rotate", token_id, "--json").json
    assert (renewed["token"]["id"], renewed["secret"] == secret) == (token_id, False)
    assert "opens nothing any more" in cli("tokens", "revoke", token_id).out
    assert cli("tokens", "--json").json == {"tokens": []}


def test_without_a_name_it_is_for_the_person_that_all_commands_are_about(cli: Run, folder: Path):
    token = cli("tokens", "create", "--json").json["token"]
    assert (token["role"], token["user"], token["expires"], token["place"]) == ("user", "me", None, "local:dm:me")
    assert cli("tokens", "create", "--role", "metrics", "--json").json["token"]["user"] is None
    assert cli("tokens", "create", "--user", "ann", "--json").json["token"]["user"] == "ann"
    stored = b"".join(path.read_bytes() for path in folder.rglob("memory.db*"))
    assert cli("tokens", "create").out.strip().encode() not in stored


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["revoke"], 2, "needs the id"),
        (["revoke", "0123456789"], 3, "no token with the id"),
        (["rotate", "0123456789"], 3, "no token with the id"),
        (["create", "ann"], 2, "'tokens create' takes no id; for the memory of ann: --user ann"),
        (["list", "0123456789"], 2, "'tokens list' takes no id"),
        (["list", "--label", "x"], 2, "go with 'tokens create'"),
        (["create", "--expires", "soon"], 2, "write 12h, 90d"),
        (["create", "--expires", "0d"], 2, "write 12h, 90d"),
        (["create", "--role", "reader", "--as", "ann"], 2, "no single user"),
        (["create", "--as", "ann", "--user", "ann"], 2, "say the same"),
        (["create", "--user", " "], 2, "needs a name"),
        (["create", "--in", "a/b/c/d"], 2, "is not a place"),
        (["delete", "x"], 2, "delete"),
    ],
)
def test_an_impossible_token_action_fails_with_the_reason(cli: Run, args: list[str], code: int, told: str):
    assert told in cli("tokens", *args, code=code).err
