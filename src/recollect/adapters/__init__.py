"""Memory where people already are: one module for each agent framework, each with an extra of the same name."""
