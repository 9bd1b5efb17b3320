"""Failures inside the shipped contract read as well as those in a test."""

import pytest

pytest.register_assert_rewrite("recollect.testing")
