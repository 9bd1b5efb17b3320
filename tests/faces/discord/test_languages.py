"""What the bot answers is in the language of the server, and in direct messages in the member's own."""

from recollect.faces.discord.localization import LANGUAGES
from recollect.faces.discord.voice import Transcript
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_memory_channel import TICK

COMMANDS = {
    "!memory show": "Was ich weiß (1 Erinnerung):\n1. I like tea",
    "!memory list": "Was ich weiß (1 Erinnerung):\n1. [Vorliebe] I like tea",
    "!memory search tea": "1. [Vorliebe] I like tea (Wertung",
    "!memory why tea": "[Vorliebe] I like tea\nDas ist in Gebrauch",
    "!memory forget chess": "Nichts passt zu „chess“",
    "!memory forget": "So geht es: !memory forget [all] <Teil, Nummer oder Id> – ",
    "!memory frobnicate": "Es gibt keinen Befehl „frobnicate“.\nBefehle des Gedächtnisses:\n- !memory show",
    "!memory pin tea": 'Angeheftet: "I like tea"',
    "!memory undo": 'Anheften zurückgenommen: "I like tea"\nWiederholen: !memory redo',
    "!memory forgotten": "Es wurde nichts vergessen, das zurückgeholt werden könnte.",
    "!memory pause": "Das Lernen ist angehalten: Bis „!memory resume“",
    "!memory resume": "Das Lernen geht weiter",
    "!memory reset rolling": "Hier gibt es keine laufende Zusammenfassung zu löschen",
    "!memory erase": "Alles, was hier und anderswo über dich bekannt ist,",
    "!memory privacy nonsense": "Sag `!memory privacy`, oder dazu",
    "!memory export": "Hier würden alle deinen Export lesen.",
    "!memory forget tea": "1 Erinnerung zu „tea“ vergessen",
}


async def speak_german(scene: Scene) -> None:
    await scene.client.bot.server_settings.change(scene.guild.id, "language", "de", scene.ann.id)


async def test_commands_that_are_typed_answer_in_the_language_of_the_server() -> None:
    async with acting() as scene:
        await speak_german(scene)
        remembered = await scene.order("!memory remember I like tea")
        assert remembered.startswith('Gemerkt: "I like tea"\nEs darf erinnert werden: auf dem Server')
        for command, answer in COMMANDS.items():
            said = (await scene.order(command)).replace("**", "").replace("\\", "")
            assert said.startswith(answer), command
        assert (await scene.ask("")).startswith("Ich bin da. Sag etwas")


async def test_what_relearning_would_change_and_why_a_memory_is_in_a_prompt_is_told_in_the_language_of_the_server() -> (
    None
):
    async with acting() as scene:
        await speak_german(scene)
        assert await scene.order("!memory relearn") == "Es gibt nichts von dir, woraus ich noch einmal lernen könnte."
        for text in ("I like green tea", "I live in Ghent"):
            await scene.ann.send(scene.dev, text)
        await scene.settle()
        assert "  warum: alles, was bekannt ist, passt hinein" in await scene.order("!memory show injected tea")
        await scene.order("!memory forget Ghent")
        assert (await scene.order("!memory relearn")).startswith(
            "1 Nachricht noch einmal zu lernen mit fake: keine Änderung\nUnberührt: 1 Nachricht – vergessen\n"
        )


async def test_slash_commands_menus_and_forms_answer_in_the_language_of_the_server() -> None:
    async with acting() as scene:
        await speak_german(scene)
        message = await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        kept = await scene.ann.context_menu(scene.dev, "Remember this", message)
        assert (kept.response or kept.followups[-1]).content.startswith('Das wusste ich schon: "I like green')
        found = await scene.ann.slash(scene.dev, "memory search", words="tea")
        assert (found.response or found.followups[-1]).embeds[0].title == "Was zu „tea“ passt"
        form = await scene.ann.slash(scene.dev, "memory edit", which="green")
        assert form.modal is not None
        assert form.modal["title"] == "Andere Worte"
        field = form.modal["components"][0]["components"][0]
        assert field["label"] == "Was soll ich mir stattdessen merken?"
        done = await scene.ann.submit_modal(form, {field["custom_id"]: "I like black tea"})
        assert (done.response or done.followups[-1]).content.startswith('Geändert: "I like black tea"')


async def test_in_a_direct_message_the_language_is_that_of_what_was_written_there_or_of_the_persons_discord() -> None:
    async with acting() as scene:
        await speak_german(scene)
        await scene.whisper("Ich wohne seit drei Jahren in Wien und ich trinke gern grünen Tee", scene.bob)
        await scene.settle()
        assert (await scene.whisper("!memory show", scene.bob)).startswith("Was ich weiß (")
        assert (await scene.whisper("!memory show")).startswith("What I remember (")
        scene.client.bot.locales[scene.ann.id] = next(iter(LANGUAGES.values()))
        assert (await scene.whisper("!memory show")).startswith("Was ich weiß (")
        privacy = await scene.whisper("!memory privacy")
        assert privacy.startswith("Ich merke mir, was man mir sagt")
        assert "\nLernen: an\n" in privacy


async def test_notices_limits_and_learned_lines_are_in_the_members_language_in_a_direct_message() -> None:
    options = {"privacy_notice": "reply", "learned_notices": "here", "replies_per_minute": 1}
    async with acting(discord=options) as scene:
        scene.client.bot.locales[scene.ann.id] = "de"
        assert (await scene.whisper("I like green tea")).startswith("Ich merke mir, was man mir sagt")
        assert (await scene.whisper("I play chess")).startswith("Das geht mir zu schnell.")
        await scene.settle()
        await scene.env.advance_time(TICK)
        line = scene.ann.user.dm_channel.last_message
        assert line is not None
        assert line.content.startswith("Gelernt: [")


async def test_what_is_said_aloud_and_a_button_of_the_consent_are_answered_in_the_language_of_the_server() -> None:
    async with acting(discord={"consent": "opt_in", "replies_per_minute": 1}) as scene:
        await speak_german(scene)
        lounge = scene.guild.create_voice_channel("lounge")
        aloud = Transcript(lounge.id, scene.ann.id, "hello", scene.env.now())
        assert (await scene.client.answer(aloud) or "").startswith(
            "Ich merke mir nur Worte von Leuten, die zugestimmt haben"
        )
        await scene.ask("hello")
        question = scene.dev.last_message
        assert question is not None
        agreed = await scene.ann.click(question, label="Einverstanden")
        assert (agreed.response or agreed.followups[-1]).content.startswith("Danke.")
        for _ in range(4):
            refused = await scene.ann.slash(scene.dev, "memory list")
        assert (refused.response or refused.followups[-1]).content.startswith("Das geht mir zu schnell.")
