"""The assistant's own messages are found when someone asks for them, and are never facts about the person."""

from tests.scenes import DEV, DM, STAFF, Stage, lines, opened

ADVICE = "For long tours I would look at the Canyon Grizl; it takes racks and wide tires."


async def advised(stage: Stage) -> None:
    asked = await stage.say("which gravel bike should I get for long tours?", place=DM)
    await stage.reply(ADVICE, asked, name="Rec")
    for number in range(30):
        chat = await stage.say(f"my gravel path is wet today, tour {number}", place=DM)
        await stage.reply(f"Noted, number {number}.", chat, name="Rec")


async def test_its_own_words_come_first_when_they_are_asked_for() -> None:
    async with opened(embedder="static") as stage:
        await advised(stage)
        await stage.memory.vectors.fill()
        for question in (
            "which gravel bike did you recommend for tours?",
            "Was hast du mir für lange tours empfohlen?",
        ):
            hits = await stage.memory.search(question, user="ann", place=DM, over="messages")
            assert hits[0].text == ADVICE, question
        own = await stage.memory.search("which gravel bike do I want for tours?", user="ann", place=DM, over="messages")
        assert own[0].message is not None
        assert not own[0].message.bot
        shown = lines(await stage.prompt("which gravel bike did you recommend for tours?", place=DM), "past")
        assert [line for line in shown if "Canyon Grizl" in line]
        assert all("[Rec]" in line for line in shown)
        assert await stage.memory.search("Canyon Grizl", user="ann", place=DM) == []


async def test_what_it_said_to_fewer_people_or_about_what_was_forgotten_is_not_quoted() -> None:
    async with opened() as stage:
        secret = await stage.say("which gravel bike should I get?", place=STAFF)
        await stage.reply("The Canyon Grizl, since you are ill with gout.", secret, name="Rec")
        asked = "which gravel bike did you recommend?"
        assert "Canyon" not in (await stage.prompt(asked, place=DEV)).text
        open_question = await stage.say("I have gout, which gravel bike should I get?")
        await stage.remember("Has gout", message=open_question.id)
        await stage.reply("With your gout the Canyon Grizl.", open_question, name="Rec")
        for number in range(40):
            await stage.say(f"something else {number}")
        assert "Canyon" in (await stage.prompt(asked)).text
        await stage.memory.forget("Has gout", user="ann", place=DEV)
        assert "Canyon" not in (await stage.prompt(asked)).text
