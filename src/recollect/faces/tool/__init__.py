"""The `memory` tool that models call."""
