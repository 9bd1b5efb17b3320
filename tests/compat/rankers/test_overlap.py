"""`overlap`, worked out by hand."""

import pytest

from recollect.compat.rankers import overlap
from recollect.core.ports.ranker import RankItem
from tests.recall.rankers.samples import asking, item, keys, pool


def score(question: str, one: RankItem) -> float:
    (ranked,) = overlap.rank(asking(question), pool(one))
    assert ranked.score == sum(ranked.parts.values())
    return ranked.score


@pytest.mark.acceptance("B23")
def test_the_score_is_the_number_of_words_in_common():
    old = item(1, "Prefers Rust for command line tools", days_old=30)
    assert score("which rust tools?", old) == 2
    assert score("rust rust rust", old) == 1
    assert score("anything about gardening", old) == 0


@pytest.mark.acceptance("B21")
def test_query_words_are_lower_case_without_short_ones_and_stop_words():
    old = item(1, "What would you do with go in a vm or the Cloud", days_old=30)
    assert score("What would you do with go in a vm or the CLOUD?", old) == 1


@pytest.mark.acceptance("B22")
def test_tags_and_kind_count_like_the_text():
    old = item(1, "Enjoys spicy ramen", days_old=30, tags=("food", "japan"), kind="preference")
    assert score("ramen food japan preference", old) == 4


@pytest.mark.acceptance("B24")
@pytest.mark.parametrize("word", ["repo", "build", "deploy"])
def test_a_project_gets_two_more_when_the_question_is_about_projects(word: str):
    project = item(1, "Moving billing to Kafka", days_old=30, kind="project")
    assert score(f"how do we {word} it?", project) == 2
    assert score(f"{word} billing", project) == 3
    assert score("billing", project) == 1
    assert score(word, item(1, "Moving billing to Kafka", days_old=30, kind="fact")) == 0


@pytest.mark.acceptance("B25")
def test_a_match_updated_within_a_week_scores_one_more():
    assert score("tea", item(1, "Likes tea", days_old=7)) == 2
    assert score("tea", item(1, "Likes tea", days_old=7.01)) == 1
    assert score("coffee", item(1, "Likes tea", days_old=0)) == 1


@pytest.mark.acceptance("B80")
def test_scoring_picks_the_expected_items():
    found = pool(
        item(1, "Likes green tea", days_old=30),
        item(2, "Works on the payments repo", days_old=30, kind="project"),
        item(3, "Deploys with Terraform", days_old=30),
        item(4, "Has a cat", days_old=1),
    )
    ranked = overlap.rank(asking("how do I deploy the payments repo?"), found)
    assert keys(ranked)[0] == 2
    assert ranked[0].score == 4  # payments, repo, and two for the project
    assert keys(ranked) == [2, 4, 3, 1]
    assert [one.relevant for one in ranked] == [True, False, False, False]


def test_words_of_other_scripts_count_too():
    assert score("東京のカフェ", item(1, "東京に住んでいます", days_old=30)) == 1
    assert score("Где Москва?", item(1, "Москва это дом", days_old=30)) == 1
