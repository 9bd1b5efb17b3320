"""What is put right or ended in a message of its own, in the languages besides English."""

import re
from datetime import UTC, datetime

import pytest

from recollect.language import amendments
from recollect.models.local import LocalModel
from tests import scenes

SAID = datetime(2026, 11, 18, 12, tzinfo=UTC)


async def known_after(*said: str) -> list[str]:
    async with scenes.opened(model=LocalModel()) as stage:
        for text in said:
            await stage.tell(text, place=scenes.DM)
            await stage.memory.flush(scenes.DM)
            await stage.settle()
        return await stage.known()


@pytest.mark.parametrize(
    ("statement", "correction", "right", "wrong"),
    [
        ("Ich bin 34 Jahre alt", "nein, 35", "35", "34"),
        ("Ich wohne in Köln", "quatsch, in Bonn", "Bonn", "Köln"),
        ("Ich habe zwei Katzen", "drei, nicht zwei", "drei", "zwei"),
        ("Meine Schwester heißt Anna", "ich meinte Hanna", "Hanna", ""),
        ("Ich arbeite bei Siemens", "Korrektur: bei Bosch", "Bosch", "Siemens"),
        ("J'ai 34 ans", "non, 35", "35", "34"),
        ("J'habite à Lyon", "pardon, à Lille", "Lille", "Lyon"),
        ("J'ai deux chats", "trois en fait", "trois", "deux"),
        ("Ma sœur s'appelle Anne", "je voulais dire Jeanne", "Jeanne", "Anne$"),
        ("Tengo 34 años", "no, 35", "35", "34"),
        ("Vivo en Madrid", "quise decir Málaga", "Málaga", "Madrid"),
        ("Tengo dos gatos", "perdón, tres", "tres", "dos"),
        ("Mi hermana se llama Ana", "digo, Juana", "Juana", ""),
        ("Trabajo en Seat", "quería decir en Renault", "Renault", "Seat"),
        ("Tenho 34 anos", "não, 35", "35", "34"),
        ("Moro em Recife", "quer dizer, em Natal", "Natal", "Recife"),
        ("Tenho dois gatos", "aliás, três", "três", "dois"),
        ("Minha irmã se chama Ana", "quis dizer Joana", "Joana", ""),
        ("Trabalho na Fiat", "desculpa, na Renault", "Renault", "Fiat"),
        ("34歳です", "いや、35歳", "35", "34"),
        ("大阪に住んでいます", "大阪じゃなくて京都です", "京都", "大阪"),
        ("猫を二匹飼っています", "二匹じゃなくて三匹です", "三匹", "二匹"),
        ("トヨタで働いています", "間違えた、ホンダです", "ホンダ", "トヨタ"),
        ("妹の名前はさくらです", "さくらじゃなくてさくらこです", "さくらこ", ""),
    ],
)
async def test_a_correction_in_a_message_of_its_own_changes_what_was_just_said(
    statement: str, correction: str, right: str, wrong: str
):
    known = await known_after(statement, correction)
    assert any(right in text for text in known), known
    assert not wrong or not any(re.search(wrong, text) for text in known), known


@pytest.mark.parametrize(
    ("statement", "end", "right", "wrong"),
    [
        ("Ich rauche", "ich rauche nicht mehr", "", "^Raucht$"),
        ("Ich fahre einen Golf", "hab den Golf verkauft", "", "Fährt einen Golf"),
        ("Ich wohne in Köln", "bin letzten monat nach bonn gezogen", "bonn", "Köln"),
        ("Ich arbeite bei Siemens", "arbeite nicht mehr bei Siemens", "", "^Arbeitet bei Siemens"),
        ("Ich lerne Spanisch", "mit spanisch hab ich aufgehört", "", "^Lernt Spanisch"),
        ("Ich habe einen Hund", "unser hund ist letztes jahr gestorben", "", "^Hat einen Hund"),
        ("J'habite à Lyon", "j'ai déménagé à Lille", "Lille", "Habite à Lyon"),
        ("J'ai une moto", "j'ai vendu la moto", "", "A une moto"),
        ("Je travaille chez Airbus", "je travaille plus chez airbus", "", "^Travaille chez Airbus"),
        ("Je suis végétarienne", "je ne suis plus végétarienne", "", "^Est végétarienne"),
        ("J'apprends le japonais", "j'ai arrêté le japonais", "", "^Apprend le japonais"),
        ("Vivo en Madrid", "me mudé a Valencia", "Valencia", "Vive en Madrid"),
        ("Tengo una moto", "vendí la moto", "", "^Tiene una moto"),
        ("Trabajo en Seat", "ya no trabajo en Seat", "", "^Trabaja en Seat"),
        ("Aprendo japonés", "dejé el japonés", "", "^Aprende japonés"),
        ("Soy vegetariana", "ya no soy vegetariana", "", "^Es vegetariana"),
        ("Moro em Recife", "me mudei pra Natal", "Natal", "Mora em Recife"),
        ("Tenho uma moto", "vendi a moto", "", "^Tem uma moto"),
        ("Trabalho na Fiat", "não trabalho mais na Fiat", "", "^Trabalha na Fiat"),
        ("Aprendo japonês", "parei com o japonês", "", "^Aprende japonês"),
        ("Sou vegetariana", "não sou mais vegetariana", "", "^É vegetariana"),
        ("大阪に住んでいます", "先月京都に引っ越しました", "京都", "大阪に住んでいる"),
        ("バイクに乗っています", "バイクは売りました", "", "^バイクに乗っている"),
        ("トヨタで働いています", "トヨタはもう辞めました", "", "^トヨタで働いている"),
        ("韓国語を勉強しています", "韓国語の勉強はやめました", "", "^韓国語を勉強している"),
        ("犬を飼っています", "去年犬が亡くなりました", "", "^犬を飼っている"),
    ],
)
async def test_an_ended_state_is_retired_in_each_language(statement: str, end: str, right: str, wrong: str):
    known = await known_after(statement, end)
    assert any(right in text for text in known) or not right, known
    assert not any(re.search(wrong, text) for text in known), known


@pytest.mark.parametrize(
    "text",
    [
        "nein, danke", "halt, Stopp", "nein, in Ordnung", "Entschuldigung, in Berlin regnet es", "sorry, zwei Minuten",
        "sorry, Montag geht nicht", "non merci", "attends, deux secondes", "vraiment pas mal", "enfin, à Lyon il pleut",
        "no, gracias", "no, en serio", "no, en Barcelona llueve mucho", "não, obrigado", "aliás, em casa tudo bem",
        "não, em Natal chove", "いや、大丈夫です", "違う、そうじゃない", "すみません、三時に歯医者です",
        "いいえ、東京は寒いです",
    ],
)  # fmt: skip
def test_a_remark_that_opens_like_a_correction_changes_nothing(text: str):
    known = ["Wohnt in Köln", "Hat zwei Katzen", "Prüfung ist am 2027-03-10", "Habite à Lyon", "A deux chats"]
    known += ["Vive en Madrid", "Tiene dos gatos", "Mora em Recife", "Tem dois gatos"]
    known += ["大阪に住んでいる", "猫を二匹飼っている"]
    amendment = amendments.read(text)
    assert amendment is None or [amendments.amend(memo, amendment, SAID) for memo in known] == [None] * len(known)


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("antworte mir auf Deutsch", "[Dd]eutsch"),
        ("duz mich bitte", "[Dd]uz"),
        ("bitte keine emojis", "emojis"),
        ("halt dich kurz", "kurz"),
        ("red deutsch mit mir", "deutsch"),
        ("Bitte antworte künftig nur in Stichpunkten", "[Ss]tichpunkten"),
        ("tutoie-moi", "tutoie"),
        ("reponds moi en francais", "francais"),
        ("fais court stp", "court"),
        ("pas d'emojis stp", "emojis"),
        ("appelle moi Lulu", "Lulu"),
        ("respóndeme siempre en español", "español"),
        ("tutéame", "tut"),
        ("sin emojis por favor", "emojis"),
        ("sé breve", "breve"),
        ("respuestas cortas porfa", "cortas"),
        ("responde em português", "português"),
        ("me chama de Lu", "Lu"),
        ("sem emojis por favor", "emojis"),
        ("seja breve", "breve"),
        ("respostas curtas por favor", "curtas"),
        ("日本語で答えて", "日本語"),
        ("敬語はいらないよ", "敬語"),
        ("絵文字は使わないで", "絵文字"),
        ("短めに答えて", "短め"),
        ("タメ口でいいよ", "タメ口"),
    ],
)
async def test_a_standing_request_about_how_to_be_answered_is_kept(text: str, wish: str):
    assert any(re.search(wish, memo) for memo in await known_after(text))


@pytest.mark.parametrize(
    ("statement", "said", "kept"),
    [
        ("my flatmate Oscar plays the drums", "I bike everywhere, no car", "Oscar plays the drums"),
        ("I eat meat on Sundays", "we eat fish, no meat", "meat"),
        ("I have 35 cats", "4, not 3", "35"),
    ],
)
async def test_what_names_other_words_or_numbers_is_not_read_as_a_correction(statement: str, said: str, kept: str):
    known = await known_after(statement, said)
    assert any(kept in text for text in known), known
