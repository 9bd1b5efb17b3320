"""Assertions of the shipped test parts explain themselves, whichever folder's tests load them first."""

import pytest

pytest.register_assert_rewrite("recollect.testing")
