"""A later message states anew, ends or replaces what is known, through the public object; and nothing said is lost."""

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

ENDED = {
    ("I'm a nurse", "I don't work as a nurse anymore, I'm a midwife now"): ["Is a midwife"],
    ("im a teacher at a primary school", "i left teaching, im a ux designer now"): ["Is a ux designer"],
    ("my laptop is a thinkpad", "got a macbook air, the thinkpad died"): ["Has a macbook air"],
    ("we have a cat called Miso", "miso passed away in october 😢"): [],
    ("i take sertraline every morning", "i came off sertraline in spring"): [],
    ("i own a piano", "we gave the piano away"): [],
    ("I play the piano", "we gave the piano away"): ["Plays the piano"],
    ("I drive a honda civic", "he sold the civic"): ["Drives a honda civic"],
    ("I drive a honda civic", "I might sell the civic"): ["Drives a honda civic"],
    ("my laptop is a thinkpad", "I left my laptop at work"): ["Laptop is a thinkpad"],
}
REPLACED = {
    ("i use notion for my notes", "moved everything from notion to obsidian"): ["Uses obsidian for their notes"],
    ("i code in vim", "finally ditched vim for vscode"): ["Codes in vscode"],
    ("I work at Lidl", "got a new job at Aldi!!"): ["Got a new job at Aldi"],
    (
        "I usually work nights on Mondays and Thursdays",
        "no wait, I work nights on Tuesdays and Thursdays, not Mondays",
    ): ["Works nights on Tuesdays and Thursdays"],
    ("I have two kids", "I have a dog now"): ["Has a dog", "Has two kids"],
    ("I work nights on Mondays", "I work nights on Tuesdays"): ["Works nights on Tuesdays", "Works nights on Mondays"],
}
OF_RELATIVES = {
    ("My daughter Maya is 3", "actually Maya is 4 now"): ["Their daughter Maya is 4 years old"],
    ("My daughter Maya is 3", "my daughter is 4 now"): ["Their daughter Maya is 4 years old"],
    ("my brother Tom is 30", "wait tom is 31"): ["Their brother Tom is 31 years old"],
    ("my sister lives in Dublin", "my sister moved to Galway"): ["Their sister lives in Galway"],
    ("my sister Ann lives in Dublin", "my sister Kate moved to Galway"): [
        "Their sister Kate lives in Galway",
        "Their sister Ann lives in Dublin",
    ],
    ("my dog Bruno is a labrador", "sorry bruno is a golden retriever not a labrador"): [
        "Their dog Bruno is a golden retriever",
        "Has a dog named Bruno",
    ],
    ("My daughter Maya is 3", "Maya is allergic to nuts"): [
        "Maya is allergic to nuts",
        "Their daughter Maya is 3 years old",
    ],
}
SAID_WHOLE = {
    ("we just got a dog, a beagle named Biscuit",): ["Got a dog, a beagle named Biscuit"],
    ("our wedding is on 12 June in Seville",): ["Wedding is on 2027-06-12 in Seville"],
    ("I have a dentist appointment on Friday at 3pm",): ["Has a dentist appointment on 2026-11-20 at 3pm"],
    ("dentist appointment on Friday at 3pm",): ["Dentist appointment on 2026-11-20 at 3pm"],
    ("I've been learning Spanish for six months on Duolingo",): ["Learning Spanish on Duolingo"],
    ("We have two kids, Leo and Mia",): ["Has two kids, Leo and Mia"],
    ("I started working at Siemens as an engineer",): ["Works at Siemens as an engineer"],
    ("I have an interview on Thursday with Google",): ["Has an interview on 2026-11-19 with Google"],
    ("meeting on Friday is cancelled",): [],
    ("I've lived in Rome for ten years",): ["Lives in Rome"],
}


@pytest.mark.parametrize(
    "dialogs",
    [STATED_ANEW, TURNED_ROUND, ENDED, REPLACED, OF_RELATIVES, SAID_WHOLE],
    ids=["stated anew", "turned round", "ended", "replaced", "of relatives", "said whole"],
)
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
