"""A later message restates, ends or replaces a known fact, through the public object; and no message is lost."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import AsyncMemory, Message, Place, Status

SAID = datetime(2026, 11, 16, 10, tzinfo=UTC)

STATED_ANEW = {
    ("My favourite colour is green", "Actually my favourite colour is blue"): ["Favourite colour is blue"],
    ("my favorite food is pizza", "no wait, my favorite food is sushi"): ["Favorite food is sushi"],
    ("Meine Lieblingsfarbe ist grün", "Eigentlich ist meine Lieblingsfarbe blau"): ["Lieblingsfarbe ist blau"],
    ("Mi color favorito es el verde", "En realidad mi color favorito es el azul"): ["Su color favorito es el azul"],
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
    ("Ich bin Krankenpfleger", "Ich arbeite nicht mehr als Krankenpfleger, ich bin jetzt Hebamme"): [
        "Ist Hebamme",
        "Arbeitet nicht mehr als Krankenpfleger",
    ],
    ("Je suis infirmière", "Je ne travaille plus comme infirmière, je suis sage-femme maintenant"): [
        "Est sage-femme",
        "Ne travaille plus comme infirmière",
    ],
    ("Soy enfermera", "Ya no trabajo de enfermera, ahora soy matrona"): ["Es matrona", "Ya no trabaja de enfermera"],
    ("im a teacher at a primary school", "i left teaching, im a ux designer now"): ["Is a ux designer"],
    ("my laptop is a thinkpad", "got a macbook air, the thinkpad died"): ["Has a macbook air"],
    ("my dog Bruno is a labrador", "bruno died last week"): [],
    ("we have a cat called Miso", "miso passed away in october 😢"): [],
    ("i take sertraline every morning", "i came off sertraline in spring"): [],
    ("i own a piano", "we gave the piano away"): [],
    ("i drive a honda civic", "sold the civic, got myself an ioniq 5"): ["Has an ioniq 5"],
    ("i use windows at home", "on linux now at home, no more windows"): ["Uses linux at home"],
    ("my girlfriend is vegan", "my girlfriend isn't vegan anymore"): [],
    ("i'm vegan", "i eat cheese again"): [],
    ("i'm vegetarian", "i eat cheese again"): ["Is vegetarian"],
    ("my wife is pregnant", "our baby girl was born on tuesday!!"): [],
    ("i'm living in a shared flat in Ghent", "moved out of the flat"): [],
    ("i work as a barista in town", "no longer a barista, started as a junior dev at Odoo"): [
        "Works as a junior dev at Odoo"
    ],
    ("i swim every morning", "stopped swimming in the mornings"): [],
    ("we're flying to Bali on March 2", "bali trip got cancelled"): [],
    ("i'm on keto", "not doing keto anymore"): [],
    ("i ride a vespa", "my vespa got stolen last night wtf"): [],
    ("i live with my parents in Graz", "finally moved out"): [],
    ("my girlfriend Kim lives in Seoul", "kim moved in with me last week!!"): [],
    ("i have a bike", "my bike was nicked"): [],
    ("we own a campervan", "sold the van"): [],
    ("i'm learning piano", "gave up piano, learning the ukulele instead"): ["Learning the ukulele"],
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
    ("i work part time at a bakery", "i'm full time at the bakery now"): ["Is full time at the bakery"],
    ("i live in leeds", "nah i'm in york these days"): ["Lives in York"],
    ("i'm 27", "lol i'm 28 since yesterday"): ["Is 28 years old"],
    ("we're going to Crete in July", "change of plan, we're going to Malta in July instead"): [
        "Going to Malta in 2027-07"
    ],
    ("i go to the gym on tuesdays and fridays", "i switched gym days to mondays and wednesdays"): [
        "Goes to the gym on mondays and wednesdays"
    ],
    ("I have choir practice every wednesday at 7pm", "choir practice moved to thursdays"): [
        "Has choir practice every thursday at 7pm"
    ],
    ("i'm flying to Toronto on December 3", "my flight got moved to December 5"): ["Flying to Toronto on 2026-12-05"],
    ("i have a job interview on thursday", "interview is friday not thursday my bad"): [
        "Has a job interview on 2026-11-20"
    ],
    ("I use zsh", "we switched the config to yaml"): ["Uses zsh"],
    ("we have three chickens", "a fox got one so we only have two chickens now"): ["Has two chickens"],
    ("i have therapy on mondays", "my therapy is on wednesdays now instead of mondays"): ["Has therapy on wednesdays"],
    ("i use slack at work", "we switched from slack to teams at work"): ["Uses teams at work"],
    ("i use an iphone", "switched to a pixel last week"): ["Has a pixel"],
    ("i use chrome", "i use firefox now"): ["Uses firefox"],
    ("i use chrome at work", "i use firefox now at home"): ["Uses firefox now at home", "Uses chrome at work"],
    ("I have two kids", "I have a dog now"): ["Has a dog", "Has two kids"],
    ("I work nights on Mondays", "I work nights on Tuesdays"): ["Works nights on Tuesdays", "Works nights on Mondays"],
}
OF_RELATIVES = {
    ("My daughter Maya is 3", "actually Maya is 4 now"): ["Their daughter Maya is 4 years old"],
    ("My daughter Maya is 3", "my daughter is 4 now"): ["Their daughter Maya is 4 years old"],
    ("Meine Tochter Maja ist 3", "Maja ist jetzt 4"): ["Tochter Maja ist 4"],
    ("Ma fille Maya a 3 ans", "Maya a 4 ans maintenant"): ["Sa fille Maya a 4 ans"],
    ("Mi hija Maya tiene 3 años", "Maya ya tiene 4 años"): ["Su hija Maya tiene 4 años"],
    ("Minha filha Maya tem 3 anos", "A Maya agora tem 4 anos"): ["Sua filha Maya tem 4 anos"],
    ("my mum is 63", "mum's 64 now actually"): ["Their mum is 64 years old"],
    ("my brother Tom is 30", "wait tom is 31"): ["Their brother Tom is 31 years old"],
    ("my son is 6", "my son turned 7 yesterday 🎂"): ["Their son turned 7"],
    ("my sister lives in Dublin", "my sister moved to Galway"): ["Their sister lives in Galway"],
    ("my sister Ann lives in Dublin", "my sister Kate moved to Galway"): [
        "Their sister Kate lives in Galway",
        "Their sister Ann lives in Dublin",
    ],
    ("my dog Bruno is a labrador", "sorry bruno is a golden retriever not a labrador"): [
        "Their dog Bruno is a golden retriever"
    ],
    ("My daughter Maya is 3", "Maya is allergic to nuts"): [
        "Maya is allergic to nuts",
        "Their daughter Maya is 3 years old",
    ],
}
STILL_SO = {
    ("I drink coffee every day", "no more coffee today"): ["Drinks coffee every day"],
    ("i go to the gym on mondays", "just left the gym"): ["Goes to the gym on mondays"],
    ("I work at Acme", "I left Acme early today"): ["Works at Acme"],
    ("I work at a bank in London", "I moved from London to Leeds"): ["Lives in Leeds", "Works at a bank in London"],
    ("I take the bus every day", "got off the bus"): ["Takes the bus every day"],
    ("I use slack at work", "I dropped my phone"): ["Uses slack at work"],
    ("My daughter Maya is 3", "my son is 4 now"): ["Their son is 4 years old", "Their daughter Maya is 3 years old"],
    ("I'm a nurse", "my sister is a midwife now"): ["Their sister is a midwife", "Is a nurse"],
    ("I like tea", "Tom hates tea now"): ["Likes tea"],
    ("I have an exam on Monday", "the shop is on Main Street"): ["Has an exam on 2026-11-23"],
}
SAID_WHOLE = {
    ("we just got a dog, a beagle named Biscuit",): ["Got a dog, a beagle named Biscuit"],
    ("our wedding is on 12 June in Seville",): ["Wedding is on 2027-06-12 in Seville"],
    ("I have a dentist appointment on Friday at 3pm",): ["Has a dentist appointment on 2026-11-20 at 3pm"],
    ("dentist appointment on Friday at 3pm",): ["Dentist appointment on 2026-11-20 at 3pm"],
    ("I've been learning Spanish for six months on Duolingo",): ["Learning Spanish on Duolingo"],
    ("We have two kids, Leo and Mia",): ["Has two kids, Leo and Mia"],
    ("I started working at Siemens as an engineer",): ["Works at Siemens as an engineer"],
    ("Unsere Hochzeit ist am 12. Juni in Sevilla",): ["Hochzeit ist am 12. Juni in Sevilla"],
    ("Notre mariage est le 12 juin à Séville",): ["Son mariage : le 12 juin à Séville"],
    ("Nuestra boda es el 12 de junio en Sevilla",): ["Su boda es el 12 de junio en Sevilla"],
    ("I have an interview on Thursday with Google",): ["Has an interview on 2026-11-19 with Google"],
    ("meeting on Friday is cancelled",): [],
    ("I've lived in Rome for ten years",): ["Lives in Rome"],
}


@pytest.mark.parametrize(
    "dialogs",
    [STATED_ANEW, TURNED_ROUND, ENDED, REPLACED, OF_RELATIVES, STILL_SO, SAID_WHOLE],
    ids=["stated anew", "turned round", "ended", "replaced", "of relatives", "still so", "said whole"],
)
async def test_later_statements_replace_earlier_ones(dialogs: dict[tuple[str, ...], list[str]]):
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
