"""What is told to a model about the tool: JSON schemas for OpenAI, Anthropic and MCP, and the skill text."""

from importlib.resources import files
from typing import Any, Literal, get_args

from recollect.faces.tool.actions import ACTIONS, DESCRIPTION, NAME

Format = Literal["openai", "anthropic", "mcp"]
FORMATS: tuple[Format, ...] = get_args(Format)


def schema(form: Format) -> dict[str, Any]:
    """The tool's definition in the form that this interface takes."""
    match form:
        case "openai":
            function = {"name": NAME, "description": DESCRIPTION, "parameters": parameters()}
            return {"type": "function", "function": function}
        case "anthropic":
            return {"name": NAME, "description": DESCRIPTION, "input_schema": parameters()}
        case "mcp":
            return {"name": NAME, "description": DESCRIPTION, "inputSchema": parameters()}


def parameters() -> dict[str, Any]:
    """All parameters of all actions in one object, since providers take no alternatives at the top."""
    meanings = "; ".join(f"{name}: {kind.__doc__}" for name, kind in ACTIONS.items())
    action = {"type": "string", "enum": list(ACTIONS), "description": f"What to do. {meanings}."}
    return {
        "type": "object",
        "properties": {"action": action, **_properties()},
        "required": ["action"],
        "additionalProperties": False,
    }


def _properties() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for kind in ACTIONS.values():
        for name, property in kind.model_json_schema()["properties"].items() if kind.model_fields else ():
            found.setdefault(name, _plain(property))
    return {name: {**each, "description": f"{each['description']} {_used(name)}"} for name, each in found.items()}


def _plain(property: dict[str, Any]) -> dict[str, Any]:
    """Without titles, and without the null that stands for a parameter that is not given."""
    property = property["anyOf"][0] if "anyOf" in property else property
    return {key: value for key, value in property.items() if key != "title"}


def _used(name: str) -> str:
    """Which actions take a parameter."""
    uses = [
        f"{action} (required)" if kind.model_fields[name].is_required() else action
        for action, kind in ACTIONS.items()
        if name in kind.model_fields
    ]
    return f"For {', '.join(uses)}."


def skill(*, front_matter: bool = True) -> str:
    """How to use the tool well, for the prompt of an agent; it begins with a front matter, unless that is left out."""
    text = files("recollect.faces.tool").joinpath("skill.md").read_text("utf-8")
    return text if front_matter else text.split("---\n", 2)[2].lstrip()
