"""Prints the page docs/settings.md."""

import sys

from recollect.settings.table import markdown

sys.stdout.write(markdown())
