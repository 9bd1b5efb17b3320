"""A later message states anew, ends or replaces what is known: through the public object, in every supported language."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import AsyncMemory, Message, Place, Status

SAID = datetime(2026, 11, 16, 10, tzinfo=UTC)

STATED_ANEW = {
    ("My favourite colour is green", "Actually my favourite colour is blue"): ["Favourite colour is blue"],
    ("my favorite food is pizza", "no wait, my favorite food is sushi"): ["Favorite food is sushi"],
    ("Ma couleur préférée est le vert", "En fait ma couleur préférée est le bleu"): ["Sa couleur préférée : le bleu"],
    ("Minha cor favorita é verde", "Na verdade minha cor favorita é azul"): ["Sua cor favorita é azul"],
    ("好きな色は緑です", "実は好きな色は青です"): ["好きな色は青"],
}
TURNED_ROUND = {
    ("I love hiking in the Dales", "I hate hiking now"): ["Hates hiking"],
    ("I can't stand coriander", "actually I quite like coriander now"): ["Likes coriander"],
    ("I love hiking", "I hate hiking in the rain"): ["Hates hiking in the rain", "Loves hiking"],
    ("Ich liebe Wandern", "Ich hasse Wandern jetzt"): ["Hasst Wandern"],
    ("J'adore la randonnée", "Je déteste la randonnée maintenant"): ["Déteste la randonnée"],
    ("Me encanta el senderismo", "Ahora odio el senderismo"): ["Odia el senderismo"],
    ("Adoro caminhadas", "Agora odeio caminhadas"): ["Odeia caminhadas"],
}


@pytest.mark.parametrize("dialogs", [STATED_ANEW, TURNED_ROUND], ids=["stated anew", "turned round"])
async def test_only_the_last_word_is_known(dialogs: dict[tuple[str, ...], list[str]]):
    async with AsyncMemory(":memory:") as memory:
        for number, (lines, known) in enumerate(dialogs.items()):
            for index, text in enumerate(lines):
                message = Message(f"{number}-{index}", f"u{number}", Place(dm=f"u{number}"), text, _at(index), "Ann")
                await memory.add(message)
                await memory.wait_learned(message)
            memos = (await memory.list(user=f"u{number}", statuses=[Status.ACTIVE])).memos
            assert [memo.text for memo in memos] == known, lines


def _at(index: int) -> datetime:
    return SAID + timedelta(days=index)
