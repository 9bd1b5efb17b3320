"""The assistant without a model: "what do you know about me?", requests for help, and messages without a question."""

import pytest

from recollect.faces.assistant.assistant import Assistant
from recollect.language.requests import answer
from tests.faces.assistant.test_assistant import Talk
from tests.scenes import DEV, DM, Stage, opened


def alone(stage: Stage) -> Talk:
    return Talk(stage, None, Assistant(stage.memory, name="Rec", clock=stage.clock, explains_offline=False), None)  # type: ignore[arg-type]


async def test_all_that_is_known_and_may_be_told_here_is_listed_newest_first() -> None:
    async with opened() as stage:
        talk = alone(stage)
        await stage.learned("Lives in Lisbon", place=DM)
        await stage.learned("Plays the cello", place=DEV)
        await stage.learned("Bob has debts", user="bob", place=DEV)
        told = "Here is what I remember about you:\n- Plays the cello"
        assert await talk.ask("what do you know about me?", place=DM) == f"{told}\n- Lives in Lisbon"
        assert await talk.ask("what do you know about me?", place=DEV) == told
        nothing = await talk.ask("who am I?", user="eve", place=DEV)
    assert nothing == "I remember nothing about you that I could tell here."


async def test_of_very_much_the_newest_is_told_and_how_to_see_the_rest() -> None:
    async with opened() as stage:
        await stage.remember(*(f"Owns bike number {number}" for number in range(40)), place=DM)
        told = (await alone(stage).ask("tell me about myself", place=DM)).splitlines()
    assert told[1] == "- Owns bike number 39"
    assert told[-1] == 'and 10 items more; "!memory show" lists them all.'
    assert len(told) == 32


async def test_help_is_shown_and_not_kept() -> None:
    async with opened() as stage:
        assert (await alone(stage).ask("help")).startswith("Memory commands:\n- !memory show")
        assert await stage.memory.store.read(lambda tx: tx.messages.recent(DEV, 10)) == []


async def test_help_where_there_are_no_commands_says_what_can_be_said() -> None:
    async with opened(chat_commands={"enabled": False}) as stage:
        told = await alone(stage).ask("help")
    assert told.startswith("Tell me something about yourself")
    assert "!memory" not in told


async def test_who_paused_learning_or_switched_memory_off_is_not_told_that_they_are_listened_to() -> None:
    async with opened() as stage:
        talk = alone(stage)
        assert await talk.ask("I like tea") == "I am listening."
        await talk.ask("!memory pause")
        assert await talk.ask("I like tea") == (
            'Learning is paused: nothing that you say is learned as a fact until "!memory resume".'
        )
        assert await talk.ask("I like tea", user="bob") == "I am listening."
        await talk.ask("!memory resume")
        assert await talk.ask("I like tea") == "I am listening."
    async with opened(enabled=False) as stage:
        assert await alone(stage).ask("I like tea") == "My memory is switched off, so nothing is kept."


async def test_a_conversation_in_plain_words_is_answered_from_memory_and_changes_it() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        assert await talk.ask("I live in Lisbon", place=DM) == "Noted: lives in Lisbon."
        await talk.ask("my sister Nora lives in Porto", place=DM)
        assert await talk.ask("where do i live", place=DM) == "Here is what I remember that fits:\n- Lives in Lisbon"
        assert "“I live in Lisbon”" in await talk.ask("when did I tell you that I live in Lisbon?", place=DM)
        talked = await talk.ask("what did we talk about?", place=DM)
        assert [line.partition(": ")[2] for line in talked.splitlines()[1:]] == [
            "I live in Lisbon",
            "my sister Nora lives in Porto",
        ]
        nora = "Here is what I remember that fits:\n- Your sister Nora lives in Porto"
        assert await talk.ask("what do you know about Nora?", place=DM) == nora
        forgotten = await talk.ask("please forget that I live in Lisbon", place=DM)
        assert "Lives in Lisbon" in forgotten
        gone = await talk.ask("where do I live?", place=DM)
        assert gone == "I am not sure; the nearest that I remember:\n- Your sister Nora lives in Porto"
        assert "Lives in Lisbon" in await talk.ask("undo that", place=DM)
        assert 'Remembered: "my car is a red Fiat"' in await talk.ask("remember that my car is a red Fiat", place=DM)
        assert "- my car is a red Fiat" in await talk.ask("what colour is my car?", place=DM)
        assert "would be erased for good" in await talk.ask("vergiss alles über mich", place=DM)
        assert await talk.ask("Danke!", place=DM) == "Gern geschehen."


async def test_what_asks_for_a_change_in_plain_words_is_not_kept_as_something_said() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("I live in Lisbon", place=DM)
        await talk.ask("forget that I live in Lisbon", place=DM)
        said = await stage.memory.timeline.recent(DM, 10)
    assert [message.text for message in said if not message.bot] == ["I live in Lisbon"]


async def test_what_was_said_and_not_learned_is_hidden_on_request_and_comes_back_with_undo() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("I went to the opera yesterday", place=DM)
        assert "the opera" in await talk.ask("what did we talk about?", place=DM)
        told = await talk.ask("forget that I went to the opera", place=DM)
        assert told.startswith("I had not learned that as a fact, but you said “I went to the opera yesterday”")
        assert "opera" not in await talk.ask("what did we talk about?", place=DM)
        assert "opera" not in (await talk.ask("did I go to the opera?", place=DM)).partition("\n")[2]
        assert await talk.ask("forget that I fly to the moon", place=DM) == 'Nothing matches "I fly to the moon"'
        assert "opera" in await talk.ask("undo the last change", place=DM)
        assert "opera" in await talk.ask("what did we talk about?", place=DM)


async def test_a_correction_replaces_the_corrected_statement() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("I live in Lisbon", place=DM)
        assert "lives in Porto" in await talk.ask("no, I meant Porto", place=DM)
        assert "- Lives in Porto" in await talk.ask("where do I live?", place=DM)
        await talk.ask("Ich wohne in Rom", user="bob", place=DM)


async def test_dates_and_the_language_follow_the_conversation() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("Ich wohne seit zwei Jahren in Leipzig", place=DM)
        await talk.ask("Am Wochenende war ich im Zoo", place=DM)
        assert await talk.ask("na ja", place=DM) == "Ich höre zu."
        assert await talk.ask("wann habe ich dir das gesagt?", place=DM) == (
            "Das hast du mir am 1. März 2025 gesagt: „na ja“"
        )
        assert "Gemerkt: „ich trinke gern Tee“" in await talk.ask("Merk dir, dass ich gern Tee trinke", place=DM)


async def test_she_in_a_question_is_whom_the_question_before_it_named() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        for text in ("we adopted a greyhound, she's called Biscuit", "I was born in Boston, we left when I was two"):
            await talk.ask(text, place=DM)
        await talk.ask("what breed is our dog?", place=DM)
        name = await talk.ask("and her name?", place=DM)
        age = await talk.ask("how old is she?", place=DM)
    assert "Biscuit" in name
    assert not age.startswith("Here is what I remember that fits")


async def test_a_german_statement_that_opens_with_an_adverb_is_no_question() -> None:
    async with opened(model="local", run_worker=True) as stage:
        noted = await alone(stage).ask("übrigens bin ich gegen Wespenstiche allergisch", place=DM)
        asked = await alone(stage).ask("bin ich gegen Wespenstiche allergisch", place=DM)
    assert noted.startswith("Notiert: ")
    assert asked.startswith("Dazu weiß ich:")


@pytest.mark.parametrize(
    ("said", "forget", "forgotten", "undo", "undone"),
    [
        ("ich wohne in Graz", "vergiss, dass ich in Graz wohne", "Vergessen: „Wohnt in Graz“.", "mach das rückgängig",
         "Rückgängig gemacht: „Wohnt in Graz“."),
        ("j'habite à Lyon", "oublie que j'habite à Lyon", "Oublié : « Habite à Lyon ».", "annule ça",
         "Annulé : « Habite à Lyon »."),
        ("vivo en Sevilla", "olvida que vivo en Sevilla", "Olvidado: «Vive en Sevilla».", "deshaz eso",
         "Deshecho: «Vive en Sevilla»."),
        ("moro em Braga", "esquece que moro em Braga", "Esquecido: “Mora em Braga”.", "desfaz isso",
         "Desfeito: “Mora em Braga”."),
        ("京都に住んでいます", "京都に住んでいることを忘れて", "忘れました: 「京都に住んでいる」。", "元に戻して",
         "元に戻しました: 「京都に住んでいる」。"),
    ],
)  # fmt: skip
async def test_a_change_in_plain_words_is_answered_in_the_language_that_asked_for_it(
    said: str, forget: str, forgotten: str, undo: str, undone: str
) -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask(said, place=DM)
        assert (await talk.ask(forget, place=DM)).startswith(forgotten)
        assert await talk.ask(undo, place=DM) == undone


async def test_what_was_forgotten_is_not_quoted_as_what_was_said_last() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("I live in Lisbon", place=DM)
        await talk.ask("I hate olives", place=DM)
        await talk.ask("forget that I hate olives", place=DM)
        assert "olives" not in await talk.ask("when did I tell you?", place=DM)


async def test_only_what_was_said_in_a_period_is_recounted_in_any_language() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("ich war heute im Zoo", place=DM)
        assert "Zoo" in await talk.ask("worüber haben wir heute gesprochen?", place=DM)
        assert "Zoo" not in await talk.ask("worüber haben wir letzte Woche gesprochen?", place=DM)
        assert "Zoo" not in await talk.ask("what did we talk about last week?", place=DM)


async def test_neither_excuses_nor_what_says_nothing_get_into_prompts() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        for text in ("hm", "so", "I live in Lisbon"):
            await talk.ask(text, place=DM)
        prompt = await stage.memory.context(stage.message("and now?", place=DM))
    assert "hm" in prompt.text
    assert "lives in Lisbon" in prompt.text
    assert "listen" not in prompt.text
    assert "no model" not in prompt.text


async def test_a_question_that_tells_something_as_well_is_told_what_was_learned() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        both = await talk.ask("I moved to Graz last week, do you know a good bakery?", place=DM)
        habit = await talk.ask("can you always give me distances in miles pls", place=DM)
        asked = await talk.ask("where do I live?", place=DM)
    assert both == "Noted: lives in Graz."
    assert habit == "Noted: wants distances in miles."
    assert asked == "Here is what I remember that fits:\n- Lives in Graz"


async def test_a_day_that_was_moved_is_told_as_it_is_now_whatever_was_said_in_between() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        for text in ("I live in Bristol", "got a parents evening on Thursday, 6pm", "my cat is called Momo"):
            await talk.ask(text, place=DM)
        await talk.ask("no wait parents evening is on wednesday not thursday", place=DM)
        evening = await talk.ask("when is parents evening?", place=DM)
        home = await talk.ask("which city do I live in?", place=DM)
    assert "wednesday" in evening
    assert "6pm" not in evening
    assert home == "Here is what I remember that fits:\n- Lives in Bristol"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statements", "questions"),
    [
        (
            ("Trabajo como enfermera", "Toco el violín desde pequeña"),
            {"¿A qué me dedico?": "enfermera"},
        ),
        (
            ("Je travaille comme infirmière", "Je joue du violon", "Mon frère Hugo vit à Berlin"),
            {
                "Quel est mon métier ?": "infirmière",
                "De quel instrument est-ce que je joue ?": "violon",
                "Où habite mon frère ?": "Berlin",
            },
        ),
        (
            ("Trabalho como enfermeira", "Toco violino desde pequena"),
            {
                "Qual é a minha profissão?": "enfermeira",
            },
        ),
    ],
    ids=["es", "fr", "pt"],
)
async def test_questions_in_other_words_are_answered_without_reserve_in_spanish_french_and_portuguese(
    statements: tuple[str, ...], questions: dict[str, str]
) -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        for text in statements:
            await talk.ask(text, place=DM)
        replies = {question: await talk.ask(question, place=DM) for question in questions}
    fits = tuple(answer("fits", language) for language in ("es", "fr", "pt"))
    assert {question: reply for question, reply in replies.items() if not reply.startswith(fits)} == {}
    assert all(questions[question] in reply for question, reply in replies.items())


NEAREST = answer("nearest", "en")


@pytest.mark.parametrize(
    ("said", "asked", "language"),
    [
        ("my bike got stolen last Friday", "what happened to my bike?", "en"),
        ("she won the Rennes race in 2009", "When is the race?", "en"),
        ("his name is Dev, he's an optician", "Who is Cian?", "en"),
        ("Wir wollten eigentlich einen Traktor kaufen, einen Fendt", "Kaufen wir einen Fendt?", "de"),
        ("Unser Tierarzt ist der Dr. Huber", "wer ist mein Arzt?", "de"),
        ("Los martes ensayo con la orquesta", "¿Cuándo ensayo?", "es"),
    ],
)
async def test_what_was_merely_said_is_quoted_as_the_nearest(said: str, asked: str, language: str) -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        assert (await talk.ask(said, place=DM)) == answer("heard", language)
        reply = await talk.ask(asked, place=DM)
    assert reply.startswith(answer("nearest", language))
    assert said in reply


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I studied hospitality in Lausanne", "what am I studying?"),
        ("We've been married 44 years", "when is the wedding?"),
        ("I support Wigan Athletic", "which team am I in?"),
        ("I do not eat pork", "do I eat meat?"),
        ("I do not have a driving licence", "is there something I can't have?"),
    ],
)
async def test_a_memory_of_another_time_or_of_something_else_is_the_nearest(said: str, asked: str) -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        assert (await talk.ask(said, place=DM)).startswith("Noted: ")
        assert (await talk.ask(asked, place=DM)).startswith(NEAREST)


@pytest.mark.parametrize(
    ("said", "question", "newest"),
    [
        (("Ellie plays the cello", "Ellie gave up the cello, she's on drums now"), "what does Ellie play?", "drums"),
        (("I owe Priya 60 quid", "paid Priya back today, finally"), "do I still owe Priya money?", "paid"),
        (("my eye test is on 24 May", "The eye test was put back to the 1st of June"), "when is my eye test?", "1st"),
        (("I keep bees, three hives", "lost one hive to varroa, so two now"), "how many hives do I have?", "two"),
    ],
)  # fmt: skip
async def test_what_may_be_no_longer_so_is_never_told_without_reserve(
    said: tuple[str, str], question: str, newest: str
) -> None:
    async with opened() as stage:
        talk = alone(stage)
        for text in said:
            await talk.ask(text, place=DM)
        told = await talk.ask(question, place=DM)
    first, *lines = told.splitlines()
    assert newest in lines[0]
    assert first == NEAREST or len(lines) == 1


async def test_all_that_was_said_of_a_topic_is_listed_whatever_may_have_changed() -> None:
    async with opened() as stage:
        talk = alone(stage)
        await talk.ask("Ellie plays the cello", place=DM)
        await talk.ask("Ellie gave up the cello, she's on drums now", place=DM)
        told = await talk.ask("what do you know about Ellie?", place=DM)
    assert told.startswith(answer("fits", "en"))
    assert len(told.splitlines()) == 3


async def test_what_may_be_outdated_is_marked_and_shown_with_what_was_said_since() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        for said in ("I play darts for the Red Lion on Wednesdays", "darts moved to Thursdays because of the quiz"):
            await talk.ask(said, place=DM)
        told = await talk.ask("on what day do I play darts?", place=DM)
        for said in ("I'm reading Wolf Hall at the moment", "Finished it! Now on to The Overstory"):
            await talk.ask(said, place=DM)
        read = await talk.ask("which book am I reading?", place=DM)
    assert "Thursdays" in told.splitlines()[1]
    assert "Wednesdays" not in told or told.startswith(answer("nearest"))
    assert read.startswith(answer("nearest"))
    assert "The Overstory" in read


async def test_a_plain_request_in_a_language_without_tables_of_questions_is_answered() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("私はポルトに住んでいて、タバコを吸います", place=DM)
        assert await talk.ask("タバコを吸うことは忘れて", place=DM)


async def test_a_question_that_two_languages_begin_alike_is_answered_in_the_one_that_was_spoken() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("mein kleiner Bruder heißt Karim und ist zwölf Jahre alt", place=DM)
        told = await talk.ask("was spielt karim am liebsten?", place=DM)
    assert told.startswith((answer("nearest", "de"), answer("nothing", "de")))


async def test_goodbye_is_answered_where_a_face_can_not_end_the_conversation() -> None:
    async with opened() as stage:
        assert await alone(stage).ask("Tschüss!") == answer("bye", "de")


async def test_words_beside_what_was_forgotten_are_not_quoted_as_when_something_was_told() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("I live in Porto and I smoke", place=DM)
        await talk.ask("forget that I smoke", place=DM)
        told = await talk.ask("when did I tell you that I live in Porto?", place=DM)
    assert told.endswith(": Lives in Porto")


@pytest.mark.parametrize(
    ("said", "request_", "told"),
    [
        ("Moro em Recife e fumo", "esquece que eu fumo", "“Moro em Recife e fumo”"),
        ("Vivo en Lima", "olvida que tengo un perro", "No recuerdo nada al respecto."),
        ("京都に住んでいます", "タバコを吸うことは忘れて", "それについては何も覚えていません。"),
    ],
)
async def test_what_is_not_found_to_forget_is_told_in_the_language_that_asked(
    said: str, request_: str, told: str
) -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask(said, place=DM)
        assert told in await talk.ask(request_, place=DM)


async def test_a_relative_is_told_as_that_of_the_one_who_asks_in_their_language() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        assert await talk.ask("mi hermana se llama Ana", place=DM) == "Anotado: Tu hermana se llama Ana."
    async with opened(model="local", run_worker=True) as stage:
        assert "Ta sœur" in await alone(stage).ask("ma sœur s'appelle Ana", place=DM)


async def test_what_was_put_right_is_not_quoted_not_even_as_the_nearest() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await talk.ask("I'm allergic to walnuts", place=DM)
        changed = await talk.ask("no, I meant hazelnuts", place=DM)
        dentist = await talk.ask("who is my dentist?", place=DM)
        allergy = await talk.ask("what am I allergic to?", place=DM)
        talked = await talk.ask("what did we talk about?", place=DM)
    assert "walnuts" not in talked
    assert changed == "Changed: is allergic to hazelnuts."
    assert "walnuts" not in dentist
    assert allergy == "Here is what I remember that fits:\n- Is allergic to hazelnuts"


async def test_what_goes_on_about_the_nearest_is_shown_with_it() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        for text in ("so there's this boy", "Callum. he's in my art class", "I like toast"):
            await talk.ask(text, place=DM)
        boy = await talk.ask("which boy do I keep dreaming about?", place=DM)
    assert "Callum" in boy


@pytest.mark.parametrize(
    ("greeting", "statement", "heard"),
    [("yo", "im finn btw", "I am listening."), ("moin", "mein handy: iphone", "Ich höre zu.")],
)
async def test_a_greeting_that_is_a_word_of_another_language_does_not_change_the_language(
    greeting: str, statement: str, heard: str
) -> None:
    async with opened() as stage:
        talk = alone(stage)
        await talk.ask(greeting, place=DM)
        assert await talk.ask(statement, place=DM) == heard


@pytest.mark.parametrize(
    ("said", "later", "asked"),
    [
        (
            "I am flying out to see Robert in March",
            "On second thoughts April suits him better",
            "in which month do I see Robert?",
        ),
        (
            "The rehearsal is on Wednesdays",
            "I beg your pardon, since the summer it is on Tuesdays",
            "when is the rehearsal?",
        ),
        ("Die Probe ist mittwochs um 19 Uhr", "Verzeihung, seit dem Sommer ist sie dienstags", "Wann ist die Probe?"),
        ("The exam is on 3 May", "June it is, they told us today", "when is the exam?"),
    ],
)
async def test_an_answer_that_the_next_message_puts_right_is_marked_and_shown_with_it(
    said: str, later: str, asked: str
) -> None:
    async with opened() as stage:
        talk = alone(stage)
        for text in (said, later):
            await talk.ask(text, place=DM)
        told = await talk.ask(asked, place=DM)
    assert not told.startswith((answer("fits", "en"), answer("fits", "de")))
    assert later in told


async def test_a_memory_that_was_put_right_answers_for_the_message_that_put_it_right() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        for text in ("I was born in 1990", "no, 1991"):
            await talk.ask(text, place=DM)
        assert await talk.ask("when was I born?", place=DM) == f"{answer('fits')}\n- Was born in 1991"


async def test_what_held_at_another_time_is_the_nearest_and_what_holds_now_is_not_stated_instead() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        for phone in ("a Pixel 6", "a Fairphone 5"):
            await talk.ask(f"My phone is {phone}", place=DM)
            stage.clock.advance(days=100)
        told = await talk.ask("What phone did I have before the Fairphone?", place=DM)
        now = await talk.ask("What phone do I have?", place=DM)
    assert told.startswith(f"{NEAREST}\n- Phone is a Pixel 6 (until ")
    assert "Fairphone" in now
    assert "Pixel" not in now
