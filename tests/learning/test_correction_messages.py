"""Corrections, denials and endings in a message of their own: they change the memo that they refer to, and no other."""

from datetime import UTC, datetime, timedelta

from recollect import AsyncMemory, Message, Place, Status

SAID = datetime(2026, 11, 16, 10, tzinfo=UTC)
CORRECTED = {
    ("my birthday is March 8", "no, it's March 9th"): ["Birthday is March 9th"],
    ("I'm 34 years old", "no wait, 35"): ["Is 35 years old"],
    ("I live in Porto", "actually it's Lisbon"): ["Lives in Lisbon"],
    ("I live in Porto", "I like pizza", "sorry, I meant Lisbon"): ["Lives in Lisbon", "Likes pizza"],
    ("I live in Porto", "Lisbon, not Porto"): ["Lives in Lisbon"],
    ("I live in Porto", "*lisbon"): ["Lives in Lisbon"],
    ("I'm afraid of spidres", "*spiders"): ["Is afraid of spiders"],
    ("my exam is on Monday", "I meant Tuesday"): ["Exam is on 2026-11-24"],
    ("I have two dogs", "no, three"): ["Has three dogs"],
    ("my dog is called Rex", "no, his name is Max"): ["Has a dog named Max"],
    ("my favorite color is blue", "Correction: green"): ["Favorite color is green"],
    ("I'm allergic to peanuts", "sorry, I meant walnuts"): ["Is allergic to walnuts"],
    ("I live in Porto", "scratch that"): [],
    ("I'm allergic to peanuts", "I never said that"): [],
    ("I'm allergic to peanuts", "that's wrong, I'm not allergic to peanuts"): [],
    ("my girlfriend is called Mia", "we broke up"): [],
    ("I work at Acme", "I quit my job"): ["Quit their job"],
    ("I'm flying to Oslo on December 12", "the trip is off"): [],
    ("I'm flying to Oslo on December 12", "my exam is on December 9", "the exam got cancelled"): [
        "Flying to Oslo on 2026-12-12"
    ],
    ("I drive a Volvo", "I drive a Tesla now"): ["Drives a Tesla"],
    ("I drive a Volvo", "sold my Volvo and bought a Tesla"): ["Has a Tesla"],
    ("I drive a Volvo", "switched from the Volvo to a Tesla"): ["Has a Tesla"],
    ("I drive a Volvo", "traded the Volvo for a Mazda"): ["Has a Mazda"],
    ("I work at Acme", "I left Acme for Globex in May"): ["Left Acme for Globex"],
    ("I drink coffee", "I stopped drinking coffee last year"): [],
    ("I stopped drinking coffee last year",): ["No longer drinks coffee"],
    ("my birthday is May 3", "my birthday is actually May 5"): ["Birthday is May 5"],
    ("I work as a nurse", "I'm no longer a nurse"): [],
    ("I have a dog named Rex", "we had to put Rex down"): [],
    ("I have a dog named Rex", "Rex died last week"): [],
    ("my car is a Volvo", "my car is a Tesla"): ["Car is a Tesla"],
}
DAYS_LATER = {
    ("I work at Acme", "changed jobs: I'm at Siemens now"): ["Works at Siemens"],
    ("Ich arbeite bei Acme", "habe den Job gewechselt: bin jetzt bei Siemens"): ["Arbeitet bei Siemens"],
    ("Je travaille chez Acme", "j'ai changé de boulot : je suis chez Siemens maintenant"): ["Travaille chez Siemens"],
    ("Trabajo en Acme", "cambié de trabajo: ahora estoy en Siemens"): ["Trabaja en Siemens"],
    ("Trabalho na Acme", "mudei de emprego: agora estou na Siemens"): ["Trabalha na Siemens"],
    ("I live in Rome", "I used to live in Rome but now I'm in Milan"): ["Lives in Milan"],
    ("Ich wohne in Rom", "früher habe ich in Rom gewohnt, jetzt bin ich in Mailand"): ["Wohnt in Mailand"],
    ("J'habite à Rome", "avant j'habitais à Rome mais maintenant je suis à Milan"): ["Habite à Milan"],
    ("Vivo en Roma", "antes vivía en Roma pero ahora estoy en Milán"): ["Vive en Milán"],
    ("Moro em Roma", "eu morava em Roma mas agora estou em Milão"): ["Mora em Milão"],
    ("I'm learning Spanish", "I gave up on Spanish"): [],
    ("Ich lerne Spanisch", "ich habe Spanisch aufgegeben"): [],
    ("J'apprends l'espagnol", "j'ai abandonné l'espagnol"): [],
    ("Estoy aprendiendo alemán", "dejé el alemán"): [],
    ("Estou aprendendo alemão", "desisti do alemão"): [],
    ("I study biology", "I dropped out"): [],
    ("Ich studiere Biologie", "ich habe das Studium abgebrochen"): [],
    ("生物学を専攻しています", "大学を中退しました"): [],
    ("I have two cats", "oops, I meant three cats"): ["Has three cats"],
    ("Ich habe zwei Katzen", "ups, ich meinte drei Katzen"): ["Hat drei Katzen"],
    ("Tengo dos gatos", "ups, quise decir tres gatos"): ["Tiene tres gatos"],
    ("猫を2匹飼っています", "すみません、3匹でした"): ["猫を3匹飼っている"],
    ("I prefer tabs", "spaces over tabs now, I've changed my mind"): ["Prefers spaces"],
    ("I live with two roommates", "my roommates moved out, I live alone now"): ["Lives alone"],
    ("I'm a barista at Blue Bottle", "I got laid off from Blue Bottle in March"): [],
    ("I have a peanut allergy", "turns out I'm not allergic to peanuts after all"): [],
    ("I don't eat meat", "I've started eating meat again"): [],
    ("I have a cat named Pepper", "we rehomed Pepper because of my allergies"): [],
}
DAYS_LATER_UNCHANGED = {
    ("I have two cats", "oops, I meant three dogs"): ["Has two cats"],
    ("I study biology", "he dropped out"): ["Studies biology"],
    ("I'm learning Spanish", "I gave up on the bus"): ["Learning Spanish"],
    ("I work at Acme", "I'm at Starbucks now"): ["Works at Acme"],
    ("I live in Rome", "I live alone now"): ["Lives alone", "Lives in Rome"],
}
UNCHANGED = {
    ("I don't like Skype", "*knew"): ["Doesn't like Skype"],
    ("I use zsh", "*shrug*"): ["Uses zsh"],
    ("I use zsh", "unknown type name time_t*"): ["Uses zsh"],
    ("I'm 34 years old", "no, 20 people came"): ["Is 34 years old"],
    ("I live in Porto", "no, it's raining"): ["Lives in Porto"],
    ("I live in Porto", "actually it's fine"): ["Lives in Porto"],
    ("I live in Porto", "no, it's Tom's"): ["Lives in Porto"],
    ("I work at Acme", "no, Lisbon"): ["Works at Acme"],
    ("I live in Porto and work at Acme", "no, Globex"): ["Works at Acme", "Lives in Porto"],
    ("I live in Porto", "let's order pizza", "scratch that"): ["Lives in Porto"],
    ("I'm flying to Oslo on December 12", "the power is off"): ["Flying to Oslo on 2026-12-12"],
    ("my wife is called Lena", "we broke up the meeting into two parts"): ["Their wife is called Lena"],
    ("I work at Acme", "he quit his job"): ["Works at Acme"],
    ("I drive a Volvo", "I have a dog now"): ["Has a dog", "Drives a Volvo"],
    ("I speak German", "I don't speak German at work"): ["Does not speak German at work", "Speaks German"],
}


async def test_a_correction_changes_the_memo_that_is_clearly_meant_and_no_other():
    async with AsyncMemory(":memory:") as memory:
        for number, (lines, known) in enumerate((CORRECTED | UNCHANGED).items()):
            for index, text in enumerate(lines):
                await _say(memory, f"user{number}", text, SAID + timedelta(minutes=index))
            assert await _known(memory, f"user{number}") == known, lines


async def test_a_change_that_is_told_days_later_retires_what_it_ends_and_no_other():
    async with AsyncMemory(":memory:") as memory:
        for number, (lines, known) in enumerate((DAYS_LATER | DAYS_LATER_UNCHANGED).items()):
            for index, text in enumerate(lines):
                await _say(memory, f"user{number}", text, SAID + timedelta(days=5 * index))
            assert await _known(memory, f"user{number}") == known, lines


async def test_a_correction_ignores_old_and_foreign_messages():
    async with AsyncMemory(":memory:") as memory:
        await _say(memory, "ann", "I'm 34 years old", SAID)
        await _say(memory, "ann", "no wait, 35", SAID + timedelta(hours=1))
        channel = Place(guild="g", channel="c", public=True)
        await _say(memory, "ann", "no wait, 36", SAID + timedelta(minutes=1), channel)
        await _say(memory, "bob", "no wait, 37", SAID + timedelta(minutes=1))
        assert await _known(memory, "ann") == ["Is 34 years old"]


async def test_what_the_assistant_repeats_is_meant_however_old_it_is():
    async with AsyncMemory(":memory:") as memory:
        await _say(memory, "ann", "I live in Porto", SAID)
        await _say(memory, "ann", "I'm allergic to peanuts", SAID)
        later = SAID + timedelta(days=9)
        for index, (bot, answer) in enumerate(
            [("You live in Porto.", "no, Lisbon"), ("Porto is the capital, and Lisbon is not.", "that's wrong")]
        ):
            at = later + timedelta(minutes=2 * index)
            reply = Message(f"bot{index}", "bot", Place(dm="ann"), bot, at, "Bot", bot=True)
            await memory.add(reply)
            await _say(memory, "ann", answer, at + timedelta(seconds=5))
        assert await _known(memory, "ann") == ["Lives in Lisbon", "Is allergic to peanuts"]


async def _say(memory: AsyncMemory, user: str, text: str, at: datetime, place: Place | None = None) -> None:
    message = Message(f"{user}-{text}", user, place or Place(dm=user), text, at, user.title())
    await memory.add(message)
    await memory.wait_learned(message)


async def _known(memory: AsyncMemory, user: str) -> list[str]:
    return [memo.text for memo in (await memory.list(user=user, statuses=[Status.ACTIVE])).memos]
