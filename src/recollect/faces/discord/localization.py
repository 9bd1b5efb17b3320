"""The languages of the bot: names and descriptions of its commands, and the notices that everyone meets.

Discord shows a command in the language of whoever looks at it; notices are in the language of the server.
"""

import discord
from discord import app_commands

from recollect.faces.discord.member_translations import MEMBER_PANELS
from recollect.faces.discord.panel_translations import SERVER_PANELS
from recollect.faces.discord.server_translations import SERVER_COMMANDS, SETTINGS

LANGUAGES = {
    discord.Locale.german: "de",
    discord.Locale.french: "fr",
    discord.Locale.spain_spanish: "es",
    discord.Locale.latin_american_spanish: "es",
    discord.Locale.brazil_portuguese: "pt",
    discord.Locale.japanese: "ja",
}
_ORDER = ("de", "fr", "es", "pt", "ja")

COMMAND_NAMES = {
    "memory": ("gedächtnis", "mémoire", "memoria", "memória", "メモリー"),
    "list": ("liste", "liste", "lista", "lista", "一覧"),
    "search": ("suchen", "chercher", "buscar", "buscar", "検索"),
    "remember": ("merken", "retenir", "recordar", "lembrar", "覚える"),
    "edit": ("ändern", "modifier", "editar", "editar", "編集"),
    "forget": ("vergessen", "oublier", "olvidar", "esquecer", "忘れる"),
    "undo": ("rückgängig", "annuler", "deshacer", "desfazer", "元に戻す"),
    "why": ("warum", "pourquoi", "por-qué", "por-quê", "理由"),
    "export": ("export", "exporter", "exportar", "exportar", "書き出し"),
    "privacy": ("datenschutz", "confidentialité", "privacidad", "privacidade", "プライバシー"),
    "pause": ("pause", "pause", "pausar", "pausar", "一時停止"),
    "resume": ("fortsetzen", "reprendre", "reanudar", "retomar", "再開"),
    "erase": ("löschen", "effacer", "borrar", "apagar", "消去"),
    "help": ("hilfe", "aide", "ayuda", "ajuda", "ヘルプ"),
    "memory-server": (
        "gedächtnis-server",
        "mémoire-serveur",
        "memoria-servidor",
        "memória-servidor",
        "メモリー-サーバー",
    ),
    "setup": ("einrichten", "configurer", "configurar", "configurar", "設定"),
    "status": ("status", "état", "estado", "estado", "状態"),
    "audit": ("protokoll", "journal", "registro", "registro", "変更履歴"),
    "lore": ("serverwissen", "savoir", "conocimiento", "conhecimento", "サーバー知識"),
    "forget-about": ("vergessen-über", "oublier-sur", "olvidar-sobre", "esquecer-sobre", "について忘れる"),
    "purge": ("bereinigen", "purger", "purgar", "limpar", "一括削除"),
    "on": ("an", "activer", "activar", "ativar", "オン"),
    "off": ("aus", "désactiver", "desactivar", "desativar", "オフ"),
    "words": ("worte", "mots", "palabras", "palavras", "言葉"),
    "which": ("welche", "lequel", "cuál", "qual", "対象"),
    "here": ("hier", "ici", "aquí", "aqui", "ここ"),
    "channel": ("kanal", "salon", "canal", "canal", "チャンネル"),
    "member": ("mitglied", "membre", "miembro", "membro", "メンバー"),
    "days": ("tage", "jours", "días", "dias", "日数"),
    "also": ("auch", "aussi", "también", "também", "別名"),
    "Remember this": ("Das merken", "Retenir ceci", "Recordar esto", "Lembrar isto", "これを覚える"),
    "Why do you know this?": (
        "Woher weißt du das?",
        "Pourquoi le sais-tu ?",
        "¿Por qué lo sabes?",
        "Por que sabe isto?",
        "なぜ知っているの？",
    ),
    "Forget this": ("Das vergessen", "Oublier ceci", "Olvidar esto", "Esquecer isto", "これを忘れる"),
}
"""The translated name of each command and of its options."""

DESCRIPTIONS = {
    "What I remember about you: see it, change it, delete it": (
        "Was ich über dich weiß: ansehen, ändern, löschen",
        "Ce que je retiens de toi : voir, modifier, supprimer",
        "Lo que recuerdo de ti: verlo, cambiarlo, borrarlo",
        "O que lembro de você: ver, mudar, apagar",
        "あなたについて覚えていること：表示・変更・削除",
    ),
    "What I remember about you, page by page": (
        "Was ich über dich weiß, Seite für Seite",
        "Ce que je retiens de toi, page par page",
        "Lo que recuerdo de ti, página por página",
        "O que lembro de você, página por página",
        "あなたについて覚えていることの一覧",
    ),
    "Find what fits a question": (
        "Finden, was zu einer Frage passt",
        "Trouver ce qui répond à une question",
        "Buscar lo que responde a una pregunta",
        "Buscar o que responde a uma pergunta",
        "質問に合うものを探す",
    ),
    "Remember something about you": (
        "Etwas über dich merken",
        "Retenir quelque chose sur toi",
        "Recordar algo sobre ti",
        "Lembrar algo sobre você",
        "あなたについて何かを覚える",
    ),
    "Give a memory other words": (
        "Eine Erinnerung anders fassen",
        "Reformuler un souvenir",
        "Cambiar el texto de un recuerdo",
        "Mudar o texto de uma lembrança",
        "覚えた内容を書き換える",
    ),
    "Forget a memory, or all that match; you are asked first": (
        "Eine Erinnerung oder alle passenden vergessen; mit Rückfrage",
        "Oublier un souvenir, ou tous ceux qui correspondent ; après confirmation",
        "Olvidar un recuerdo, o todos los que coincidan; pregunto antes",
        "Esquecer uma lembrança, ou todas as que combinam; pergunto antes",
        "覚えたことを忘れる（確認あり）",
    ),
    "Take back the last change; again for the one before it": (
        "Die letzte Änderung zurücknehmen; noch einmal für die davor",
        "Annuler le dernier changement ; encore une fois pour le précédent",
        "Deshacer el último cambio; otra vez para el anterior",
        "Desfazer a última mudança; de novo para a anterior",
        "最後の変更を取り消す",
    ),
    "Where a memory comes from, and what happened to it": (
        "Woher eine Erinnerung kommt, und was mit ihr geschah",
        "D'où vient un souvenir, et ce qu'il est devenu",
        "De dónde viene un recuerdo y qué pasó con él",
        "De onde vem uma lembrança e o que aconteceu com ela",
        "覚えたことの出所と履歴",
    ),
    "What I remember about you, as a file for you alone": (
        "Was ich über dich weiß, als Datei nur für dich",
        "Ce que je retiens de toi, en fichier pour toi seul",
        "Lo que recuerdo de ti, como archivo solo para ti",
        "O que lembro de você, num arquivo só para você",
        "覚えていることを自分だけのファイルで",
    ),
    "What I keep, who runs me, and what you allow": (
        "Was ich behalte, wer mich betreibt und was du erlaubst",
        "Ce que je garde, qui m'exploite et ce que tu autorises",
        "Qué guardo, quién me opera y qué permites",
        "O que guardo, quem me opera e o que você permite",
        "保存内容、運営者、あなたの許可",
    ),
    "Stop learning from what you say": (
        "Nichts mehr aus deinen Worten lernen",
        "Ne plus rien apprendre de ce que tu dis",
        "Dejar de aprender de lo que dices",
        "Parar de aprender com o que você diz",
        "あなたの発言から学ぶのをやめる",
    ),
    "Learn from what you say again": (
        "Wieder aus deinen Worten lernen",
        "Apprendre à nouveau de ce que tu dis",
        "Volver a aprender de lo que dices",
        "Voltar a aprender com o que você diz",
        "再び学ぶ",
    ),
    "Erase all that I know of you, for good; you are asked first": (
        "Alles über dich endgültig löschen; mit Rückfrage",
        "Effacer définitivement tout ce que je sais de toi ; après confirmation",
        "Borrar para siempre todo lo que sé de ti; pregunto antes",
        "Apagar para sempre tudo o que sei de você; pergunto antes",
        "あなたについての全てを完全に消去（確認あり）",
    ),
    "All commands, also those that are typed": (
        "Alle Befehle, auch die getippten",
        "Toutes les commandes, aussi celles que l'on tape",
        "Todos los comandos, también los escritos",
        "Todos os comandos, também os digitados",
        "すべてのコマンド",
    ),
    "What you want to know": (
        "Was du wissen willst",
        "Ce que tu veux savoir",
        "Lo que quieres saber",
        "O que você quer saber",
        "知りたいこと",
    ),
    "What I shall remember about you": (
        "Was ich mir über dich merken soll",
        "Ce que je dois retenir de toi",
        "Lo que debo recordar de ti",
        "O que devo lembrar de você",
        "あなたについて覚えてほしいこと",
    ),
    "The memory: choose it, or type a part of it": (
        "Die Erinnerung: auswählen oder einen Teil davon tippen",
        "Le souvenir : choisis-le, ou tape une partie",
        "El recuerdo: elígelo o escribe una parte",
        "A lembrança: escolha, ou digite uma parte",
        "対象：選ぶか、一部を入力",
    ),
    "The memory: choose it, or type a part of it to forget all that match": (
        "Die Erinnerung: auswählen, oder einen Teil tippen, um alle passenden zu vergessen",
        "Le souvenir : choisis-le, ou tape une partie pour oublier tous ceux qui correspondent",
        "El recuerdo: elígelo, o escribe una parte para olvidar todos los que coincidan",
        "A lembrança: escolha, ou digite uma parte para esquecer todas as que combinam",
        "対象：選ぶか、一部を入力して一致するものを全て忘れる",
    ),
    "Only the file, without the text to read": (
        "Nur die Datei, ohne den Text zum Lesen",
        "Seulement le fichier, sans le texte à lire",
        "Solo el archivo, sin el texto para leer",
        "Só o arquivo, sem o texto para ler",
        "ファイルのみ（本文なし）",
    ),
    "Only what you left on this server": (
        "Nur was du auf diesem Server hinterlassen hast",
        "Seulement ce que tu as laissé sur ce serveur",
        "Solo lo que dejaste en este servidor",
        "Só o que você deixou neste servidor",
        "このサーバーに残したものだけ",
    ),
}

NOTICES = {
    "notice": (
        "Ich merke mir, was man mir sagt, um es später zu verwenden: `!memory show` zeigt, was ich über dich weiß, "
        "`!memory pause` beendet das Lernen, `!memory forget …` und `!memory erase` löschen.",
        "Je retiens ce qu'on me dit pour m'en servir plus tard : `!memory show` montre ce que je sais de toi, "
        "`!memory pause` arrête l'apprentissage, `!memory forget …` et `!memory erase` suppriment.",
        "Recuerdo lo que me cuentan para usarlo después: `!memory show` muestra lo que sé de ti, "
        "`!memory pause` detiene el aprendizaje, `!memory forget …` y `!memory erase` borran.",
        "Lembro o que me contam para usar depois: `!memory show` mostra o que sei de você, "
        "`!memory pause` para o aprendizado, `!memory forget …` e `!memory erase` apagam.",
        "私は聞いたことを覚え、後で使います。`!memory show` で一覧、`!memory pause` で学習停止、"
        "`!memory forget …` と `!memory erase` で削除できます。",
    ),
    "operator": (
        "Betrieben von {}.",
        "Exploité par {}.",
        "Operado por {}.",
        "Operado por {}.",
        "運営者：{}",
    ),
    "policy": (
        "Datenschutz: {}",
        "Confidentialité : {}",
        "Privacidad: {}",
        "Privacidade: {}",
        "プライバシーポリシー：{}",
    ),
    "consent": (
        "Hier merke ich mir nur Worte von Leuten, die zugestimmt haben, und antworte nur ihnen. Bist du einverstanden?",
        "Ici, je ne retiens que les propos des personnes qui ont accepté, et ne réponds qu'à elles. Es-tu d'accord ?",
        "Aquí solo recuerdo lo que dicen quienes aceptaron, y solo les respondo a ellos. ¿Estás de acuerdo?",
        "Aqui só lembro o que dizem as pessoas que aceitaram, e só respondo a elas. Você concorda?",
        "ここでは、同意した人の発言だけを覚え、その人にだけ答えます。同意しますか？",
    ),
    "agree": ("Einverstanden", "D'accord", "De acuerdo", "Concordo", "同意する"),
    "decline": ("Nein danke", "Non merci", "No, gracias", "Não, obrigado", "同意しない"),
    "agreed": (
        "Danke. Ab jetzt merke ich mir, was du hier sagst; `/memory privacy` ändert das jederzeit.",
        "Merci. Désormais je retiens ce que tu dis ici ; `/memory privacy` change cela à tout moment.",
        "Gracias. Desde ahora recuerdo lo que dices aquí; `/memory privacy` lo cambia cuando quieras.",
        "Obrigado. A partir de agora lembro o que você diz aqui; `/memory privacy` muda isso quando quiser.",
        "ありがとうございます。これからここでの発言を覚えます。`/memory privacy` でいつでも変更できます。",
    ),
    "declined": (
        "In Ordnung: Ich merke mir nichts von dir hier. `/memory privacy` ändert das, `/memory erase` löscht, was war.",
        "Entendu : je ne retiens rien de toi ici. `/memory privacy` change cela, `/memory erase` efface le reste.",
        "De acuerdo: no recuerdo nada tuyo aquí. `/memory privacy` lo cambia, `/memory erase` borra lo anterior.",
        "Certo: não lembro nada seu aqui. `/memory privacy` muda isso, `/memory erase` apaga o que havia.",
        "わかりました。ここでは何も覚えません。`/memory privacy` で変更、`/memory erase` で消去できます。",
    ),
    "help": (
        "Auf einer Nachricht, unter **Apps**: {}. `!memory help` listet, was man stattdessen tippen kann.",
        "Sur un message, sous **Applications** : {}. `!memory help` liste ce que l'on peut taper.",
        "En un mensaje, en **Aplicaciones**: {}. `!memory help` muestra lo que se puede escribir.",
        "Numa mensagem, em **Apps**: {}. `!memory help` lista o que se pode digitar.",
        "メッセージの**アプリ**メニュー：{}。入力コマンドは `!memory help` で表示されます。",
    ),
    "too_fast": (
        "Das geht mir zu schnell. Gib mir bitte eine Minute.",
        "C'est trop rapide pour moi. Laisse-moi une minute.",
        "Vas demasiado rápido para mí. Dame un minuto, por favor.",
        "Rápido demais para mim. Me dê um minuto, por favor.",
        "少し速すぎます。1分ほど待ってください。",
    ),
    "busy": (
        "Hier ist gerade viel los. Ich antworte in einer Minute wieder.",
        "Il y a beaucoup de monde ici. Je réponds à nouveau dans une minute.",
        "Aquí hay mucho movimiento. Vuelvo a responder en un minuto.",
        "Há muito movimento aqui. Volto a responder em um minuto.",
        "今とても混んでいます。1分後にまた答えます。",
    ),
    "spent": (
        "Für heute sind meine Antworten hier aufgebraucht; morgen (UTC) geht es weiter. "
        "`/memory` funktioniert weiterhin.",
        "Mes réponses du jour sont épuisées ici ; je reprends demain (UTC). `/memory` fonctionne toujours.",
        "Mis respuestas de hoy aquí se agotaron; sigo mañana (UTC). `/memory` sigue funcionando.",
        "Minhas respostas de hoje aqui acabaram; continuo amanhã (UTC). `/memory` continua funcionando.",
        "今日のここでの回答数を使い切りました。明日（UTC）再開します。`/memory` は使えます。",
    ),
}
"""What everyone meets, besides English."""
ENGLISH = {
    "notice": (
        "I remember what people tell me, so that I can use it later: `!memory show` lists what I know about you, "
        "`!memory pause` stops me learning, `!memory forget …` and `!memory erase` delete."
    ),
    "operator": "I am run by {}.",
    "policy": "Privacy policy: {}",
    "consent": "Here I remember only what people say who agreed to it, and answer only them. Do you agree?",
    "agree": "I agree",
    "decline": "No thanks",
    "agreed": "Thank you. From now on I remember what you say here; `/memory privacy` changes that at any time.",
    "declined": (
        "All right: I remember nothing of yours here. `/memory privacy` changes that, `/memory erase` deletes what "
        "there is."
    ),
    "help": "On a message, under **Apps**: {}. `!memory help` lists what can be typed instead.",
    "too_fast": "That is faster than I can answer. Please give me a minute.",
    "busy": "There is a lot going on here. I answer again in a minute.",
    "spent": (
        "My answers for today are used up here; I go on tomorrow (UTC). `/memory` still works, and so does "
        "everything that I remember."
    ),
}


def notice(key: str, language: str = "") -> str:
    """A notice in a language, else in English."""
    return NOTICES[key][_ORDER.index(language)] if language in _ORDER else ENGLISH[key]


_TEXTS = {**DESCRIPTIONS, **SERVER_COMMANDS, **SETTINGS, **SERVER_PANELS, **MEMBER_PANELS}


def translated(text: str, language: str) -> str:
    """The name or description of a command, or a text of a panel, in a language, else as it is."""
    texts = COMMAND_NAMES.get(text) or _TEXTS.get(text)
    return text if texts is None or language not in _ORDER else texts[_ORDER.index(language)]


class CommandTranslator(app_commands.Translator):
    """Translates the names and descriptions of commands."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        del context
        text, language = string.message, LANGUAGES.get(locale)
        is_known = language is not None and (text in COMMAND_NAMES or text in _TEXTS)
        return translated(text, language or "") if is_known else None
