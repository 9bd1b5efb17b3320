"""What people ask memory for in plain words: each kind in many ways and six languages, and what is none of them."""

import pytest

from recollect.language.requests import (
    Request,
    RequestKind,
    answer,
    is_question,
    recognize,
    with_local_days,
    without_filler,
)

K = RequestKind

ABOUT_SELF = [
    "what do you know about me?",
    "What do you remember about me?",
    "tell me about myself",
    "who am I?",
    "So, what have you learned about me so far?",
    "Could you please tell me everything you know about me!",
    "what did you learn about me",
    "do you know who I am?",
    "do you remember me?",
    "what do you remember?",
    "What’s in your memory?",
    "what information do you have about me?",
    "what else do you have on me?",
    "show me what you remember about me",
    "list everything you know about me",
    "describe me, please",
    "show my memories",
    "Was weißt du über mich?",
    "was hast du dir alles über mich gemerkt?",
    "Wer bin ich",
    "Que sais-tu de moi ?",
    "qui suis-je ?",
    "¿Qué sabes de mí?",
    "¿quién soy?",
    "O que você sabe sobre mim?",
    "quem sou eu?",
    "私について何を知っていますか?",
    "私は誰?",
]
SOMETHING_ELSE = [
    "what do you know about me and tea, and who is the boss here?" + "x" * 400,
    "who am I meeting tomorrow?",
    "do you remember my cat?",
    "what do you think of me?",
    "what do you have?",
    "I know who I am",
    "forget it",
    "forget about it",
    "don't forget to call mum",
    "remember when we went to Paris?",
    "remember me",
    "I can't remember my password",
    "I never forget a face",
    "I forgot my keys at work",
    "help me find my keys",
    "I need help",
    "thanks to you I found it and we talked for hours",
    "hello kitty is my favourite",
    "Ich vergesse oft meinen Schlüssel",
    "j'oublie toujours mes clés",
]
TOPICS = [
    ("forget that I live in Lisbon", K.FORGET, "I live in Lisbon", "en"),
    ("Please forget what I told you about my sister.", K.FORGET, "my sister", "en"),
    ("forget my address", K.FORGET, "my address", "en"),
    ("can you delete the memory about peanuts?", K.FORGET, "peanuts", "en"),
    ("don't remember this: I see a therapist", K.FORGET, "I see a therapist", "en"),
    ("forget number 2", K.FORGET, "2", "en"),
    ("forget what I do for a living", K.FORGET, "what I do for a living", "en"),
    ("vergiss mein Alter", K.FORGET, "mein Alter", "de"),
    ("olvida el número 2", K.FORGET, "2", "es"),
    ("34歳だということを忘れて", K.FORGET, "34歳", "ja"),
    ("forget what I just said", K.FORGET_LAST, "", "en"),
    ("forget that", K.FORGET_LAST, "that", "en"),
    ("please delete my last message", K.FORGET_LAST, "", "en"),
    ("scratch that", K.FORGET_LAST, "that", "en"),
    ("I take that back", K.FORGET_LAST, "", "en"),
    ("vergiss, was ich gerade gesagt habe", K.FORGET_LAST, "", "de"),
    ("borra mi último mensaje", K.FORGET_LAST, "", "es"),
    ("oublie ce que je viens de dire", K.FORGET_LAST, "", "fr"),
    ("esquece isso", K.FORGET_LAST, "isso", "pt"),
    ("今言ったことを忘れて", K.FORGET_LAST, "", "ja"),
    ("undo the last change", K.UNDO, "the last change", "en"),
    ("mach die letzte Änderung rückgängig", K.UNDO, "die letzte Änderung", "de"),
    ("was haben wir besprochen?", K.TALKED_ABOUT, "", "de"),
    ("remember that my car is a red Fiat", K.REMEMBER, "my car is a red Fiat", "en"),
    ("Remember: the spare key is under the mat", K.REMEMBER, "the spare key is under the mat", "en"),
    ("please don't forget that I'm vegan", K.REMEMBER, "I'm vegan", "en"),
    ("what do you know about Nora?", K.ABOUT, "Nora", "en"),
    ("tell me about my sister", K.ABOUT, "my sister", "en"),
    ("what did I tell you about the trip?", K.ABOUT, "the trip", "en"),
    ("when did I tell you about the peanuts?", K.WHEN_TOLD, "the peanuts", "en"),
    ("When did I tell you that?", K.WHEN_TOLD, "", "en"),
    ("how do you know that I like tea?", K.WHEN_TOLD, "I like tea", "en"),
    ("what did we talk about last week?", K.TALKED_ABOUT, "last week", "en"),
    ("what did we discuss", K.TALKED_ABOUT, "", "en"),
    ("vergiss bitte, dass ich rauche", K.FORGET, "ich rauche", "de"),
    ("Merk dir: mein Auto ist rot", K.REMEMBER, "mein Auto ist rot", "de"),
    ("Wann habe ich dir von meiner Schwester erzählt?", K.WHEN_TOLD, "meiner Schwester", "de"),
    ("Worüber haben wir gestern geredet?", K.TALKED_ABOUT, "gestern", "de"),
    ("oublie que j'habite à Lyon", K.FORGET, "j'habite à Lyon", "fr"),
    ("souviens-toi que ma voiture est rouge", K.REMEMBER, "ma voiture est rouge", "fr"),
    ("olvida que vivo en Madrid", K.FORGET, "vivo en Madrid", "es"),
    ("¿De qué hablamos ayer?", K.TALKED_ABOUT, "ayer", "es"),
    ("esquece que eu moro em Braga", K.FORGET, "eu moro em Braga", "pt"),
    ("lembra que o meu carro é vermelho", K.REMEMBER, "o meu carro é vermelho", "pt"),
    ("車は赤いと覚えて", K.REMEMBER, "車は赤い", "ja"),
    ("リスボンに住んでいることを忘れて", K.FORGET, "リスボンに住んでいる", "ja"),
]


@pytest.mark.parametrize("text", ABOUT_SELF)
def test_many_ways_to_ask_what_is_known_of_oneself_are_understood(text: str) -> None:
    request = recognize(text)
    assert request is not None
    assert request.kind is K.ABOUT_SELF


@pytest.mark.parametrize("text", SOMETHING_ELSE)
def test_text_that_resembles_a_request_is_not_recognized(text: str) -> None:
    request = recognize(text)
    assert request is None


@pytest.mark.parametrize(("text", "kind", "topic", "language"), TOPICS)
def test_a_request_says_what_it_is_about(text: str, kind: RequestKind, topic: str, language: str) -> None:
    assert recognize(text) == Request(kind, topic, language)


@pytest.mark.parametrize(
    ("text", "topic", "language"),
    [
        ("forget everything about my daughter", "my daughter", "en"),
        ("forget all my drinks", "my drinks", "en"),
        ("Vergiss alles über Bosch", "Bosch", "de"),
        ("olvida todo sobre mi hija", "mi hija", "es"),
        ("oublie tout sur ma fille", "ma fille", "fr"),
        ("esquece tudo sobre a minha filha", "a minha filha", "pt"),
        ("娘について全部忘れて", "娘", "ja"),
    ],
)
def test_everything_about_a_topic_is_more_than_one_thing(text: str, topic: str, language: str) -> None:
    assert recognize(text) == Request(K.FORGET, topic, language, every=True)


def test_a_call_for_help_greetings_thanks_and_all_at_once_are_nothing_more_than_that() -> None:
    kinds = {
        "help": K.HELP,
        "Help!": K.HELP,
        "can you help me?": K.HELP,
        "what can you do?": K.HELP,
        "Hilfe": K.HELP,
        "hi there": K.HELLO,
        "Guten Morgen!": K.HELLO,
        "thanks a lot": K.THANKS,
        "thanks, that's great": K.THANKS,
        "bring that back": K.UNDO,
        "vielen Dank": K.THANKS,
        "undo that": K.UNDO,
        "forget everything about me": K.FORGET_ALL,
        "vergiss alles über mich": K.FORGET_ALL,
    }
    recognized = {text: recognize(text) for text in kinds}
    assert {text: request and request.kind for text, request in recognized.items()} == kinds


def test_a_question_needs_no_mark() -> None:
    questions = (
        "where do i live",
        "wo wohne ich",
        "où est-ce que j'habite",
        "cuál es mi coche",
        "onde moro",
        "do I smoke",
    )
    assert [text for text in questions if not is_question(text)] == []
    assert [text for text in ("what a day", "I live here", "so war das", "wow") if is_question(text)] == []


def test_every_language_has_every_answer() -> None:
    values = {"name": "", "texts": "", "text": "", "day": ""}
    english = {
        name: answer(name, "en", **values) for name in ("nothing", "fits", "noted", "hello", "welcome", "talked")
    }
    for language in ("de", "fr", "es", "pt", "ja"):
        assert all(answer(name, language, **values) != text for name, text in english.items())
    assert answer("nothing", "xx") == english["nothing"]


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("I am listening.", ""),
        ("Ich höre zu.", ""),
        ("I have no model configured, so I only listen: I keep what you tell me and find it again when you ask.", ""),
        ("I have no model configured. Noted: lives in Lisbon.", "Noted: lives in Lisbon."),
        ("My model gave no answer (it refused to answer this). Hello!", "Hello!"),
        ("Ich habe kein Modell eingerichtet. Notiert: wohnt in Graz.", "Notiert: wohnt in Graz."),
        ("モデルが設定されていません。聞いたことを覚えておき、聞かれたら見つけるだけです。", ""),
        ("I am listening. Go on.", "I am listening. Go on."),
        ("In Lisbon.", "In Lisbon."),
    ],
)
def test_a_reply_is_told_without_what_says_nothing(reply: str, left: str) -> None:
    assert without_filler(reply) == left


@pytest.mark.parametrize(
    "text",
    [
        "can you always give me distances in miles?",
        "kannst du mir ab jetzt immer Kilometer angeben?",
        "peux-tu toujours me répondre en français ?",
        "¿puedes responderme siempre en español?".lstrip("¿"),
    ],
)
def test_a_request_for_a_habit_is_no_question(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "exit please",
            "Bye!",
            "log out",
            "quit the chat",
            ":q",
            "see you later",
            "tschüss",
            "Auf Wiedersehen",
            "beenden",
        ),
        *("au revoir", "quitter", "¡adiós!", "salir", "tchau", "sair", "さようなら", "終了"),
    ],
)
def test_goodbyes_are_recognized(text: str):
    request = recognize(text)
    assert request is not None
    assert request.kind is K.GOODBYE


@pytest.mark.parametrize(
    "text",
    [
        "I want to exit the motorway",
        "bye bye love is my favourite song",
        "I quit my job yesterday",
        "ich muss die Schule verlassen",
        "quero sair mais cedo",
        "stop",
    ],
)
def test_a_statement_with_the_word_in_it_is_no_goodbye(text: str):
    assert recognize(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "what I really can't stand is coriander, it tastes like soap",
        "when I told my mum about Porto she cried",
        "how I met your mother is my favourite show",
        "Was ich gar nicht mag: Leberkäse",
        "いつも鍵を忘れます",
        "祖母は何でも忘れます",
    ],
)
def test_a_clause_that_begins_like_a_question_asks_nothing(text: str):
    assert not is_question(text)


@pytest.mark.parametrize(
    "text", ["what I teach", "where we live", "wie ich heiße", "what do I hate?", "いつ会いますか"]
)
def test_a_short_one_or_one_in_the_order_of_a_question_asks(text: str):
    assert is_question(text)


@pytest.mark.parametrize(
    ("text", "kind", "topic"),
    [
        ("please forget I ever said I smoke", K.FORGET, "I smoke"),
        ("note to self: buy milk", K.REMEMBER, "buy milk"),
        ("sorry, I meant Lisbon, not Porto", K.MEANT, "Lisbon"),
        ("sorry, ich meinte Lissabon und nicht Porto", K.MEANT, "Lissabon"),
        ("não, eu quis dizer Lisboa", K.MEANT, "Lisboa"),
        ("erzähl mir, was du von mir weißt", K.ABOUT_SELF, ""),
        ("how do I leave?", K.HELP, ""),
        ("olvídalo todo", K.FORGET_ALL, ""),
        ("what have we been chatting about?", K.TALKED_ABOUT, ""),
        ("what did I just say?", K.TALKED_ABOUT, ""),
        ("worum ging es letzte Woche?", K.TALKED_ABOUT, "letzte Woche"),
        ("never mind, bring that back", K.UNDO, ""),
        ("how do I set up a model?", K.HELP, ""),
    ],
)
def test_plain_requests_are_recognized_as_what_they_are(text: str, kind: RequestKind, topic: str):
    request = recognize(text)
    assert request is not None
    assert (request.kind, request.topic) == (kind, topic)


def test_a_request_that_two_languages_share_is_answered_in_the_one_that_is_spoken():
    request = recognize("anota que não gosto de cebola e que moro no nível três")
    assert request is not None
    assert request.language == "pt"


@pytest.mark.parametrize(
    ("text", "language", "written"),
    [
        ("Graduates in 2026-12", "en", "Graduates in December 2026"),
        ("Flies on 2026-12-03", "en", "Flies on 3 December 2026"),
        ("Heiratet 2027-06", "de", "Heiratet Juni 2027"),
        ("Se casa en 2027-06", "es", "Se casa en junio de 2027"),
        ("2027-06に結婚する", "ja", "2027年6月に結婚する"),
        ("Ordered part 2026-13", "en", "Ordered part 2026-13"),
    ],
)
def test_dates_are_written_as_people_write_them(text: str, language: str, written: str):
    assert with_local_days(text, language) == written
