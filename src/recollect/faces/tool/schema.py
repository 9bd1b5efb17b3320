"""The tool's JSON schemas for OpenAI, Anthropic and MCP, and the skill text."""

from importlib.resources import files
from typing import Any, Literal, get_args

from recollect.faces.tool.actions import ACTIONS, DESCRIPTION, NAME, Call

Format = Literal["openai", "anthropic", "mcp"]
FORMATS: tuple[Format, ...] = get_args(Format)
OPERATORS_CHAPTER = "## For those who run this"


def schema(style: Format) -> dict[str, Any]:
    """The tool's definition in a provider's format."""
    match style:
        case "openai":
            function = {"name": NAME, "description": DESCRIPTION, "parameters": parameters()}
            return {"type": "function", "function": function}
        case "anthropic":
            return {"name": NAME, "description": DESCRIPTION, "input_schema": parameters()}
        case "mcp":
            return {"name": NAME, "description": DESCRIPTION, "inputSchema": parameters()}


def parameters() -> dict[str, Any]:
    """All parameters of all actions in one object, since providers accept no alternatives at the top level."""
    meanings = "; ".join(f"{name}: {kind.__doc__}" for name, kind in ACTIONS.items())
    action = {"type": "string", "enum": list(ACTIONS), "description": f"What to do. {meanings}."}
    return {
        "type": "object",
        "properties": {"action": action, **_properties()},
        "required": ["action"],
        "additionalProperties": False,
    }


def parameters_of(kind: type[Call]) -> dict[str, Any]:
    """The parameters of one call as a JSON schema."""
    described = kind.model_json_schema().get("properties", {})
    required = [name for name, info in kind.model_fields.items() if info.is_required()]
    return {
        "type": "object",
        "properties": {name: _simplify(each) for name, each in described.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _properties() -> dict[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = {}
    for kind in ACTIONS.values():
        for name, property in kind.model_json_schema()["properties"].items() if kind.model_fields else ():
            properties.setdefault(name, _simplify(property))
    return {
        name: {**schema_part, "description": f"{schema_part['description']} {_describe_usage(name)}"}
        for name, schema_part in properties.items()
    }


def _simplify(property: dict[str, Any]) -> dict[str, Any]:
    """The schema without titles, and without the null of an optional parameter.

    An object without `properties` gets them, empty, as they are added for OpenAI: the request that is shown is the
    one that is sent.
    """
    property = property["anyOf"][0] if "anyOf" in property else property
    simple = {key: value for key, value in property.items() if key != "title"}
    return {**simple, "properties": {}} if simple.get("type") == "object" else simple


def _describe_usage(name: str) -> str:
    """The actions that take a parameter."""
    uses = [
        f"{action} (required)" if kind.model_fields[name].is_required() else action
        for action, kind in ACTIONS.items()
        if name in kind.model_fields
    ]
    return f"For {', '.join(uses)}."


def skill() -> str:
    """How to use the tool well, as a file with front matter."""
    return files("recollect.faces.tool").joinpath("skill.md").read_text("utf-8")


def skill_for_model() -> str:
    """The part that belongs into a prompt: without front matter and notes for operators."""
    return skill().split("---\n", 2)[2].partition(OPERATORS_CHAPTER)[0].strip()
