"""`recency`: newest first, whatever was asked."""

from recollect.compat.rankers import recency
from tests.recall.rankers.samples import asking, item, keys, pool


def test_the_newest_comes_first_whatever_the_question():
    found = pool(item(1, "Likes rust", days_old=3), item(2, "Likes tea", days_old=0.5), item(3, days_old=40))
    for question in ("rust", "", "tell me about tea"):
        assert keys(recency.rank(asking(question), found)) == [2, 1, 3]


def test_the_score_is_minus_the_age_in_days():
    (one,) = recency.rank(asking("rust"), pool(item(1, days_old=2.5)))
    assert (one.score, dict(one.parts)) == (-2.5, {"age in days": 2.5})
