"""What every test shares."""

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("recollect.testing", "tests.doubles")
pytest_plugins = ["tests.acceptance", "tests.stores.postgres", "tests.ground"]

# The quick run asks the same questions each time; `make test-all` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("searching", deadline=None)
settings.load_profile("steady")
