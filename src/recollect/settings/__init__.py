"""Settings: one frozen tree of values from arguments, environment, YAML file, profile and defaults."""

from recollect.settings.catalog import known_variables
from recollect.settings.loading import Loaded, load, secret
from recollect.settings.model import Settings
from recollect.settings.sources import PROFILES
from recollect.settings.table import Row, markdown, rows

__all__ = ["PROFILES", "Loaded", "Row", "Settings", "known_variables", "load", "markdown", "rows", "secret"]
