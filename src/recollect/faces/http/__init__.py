"""The operator's page and the REST API."""
