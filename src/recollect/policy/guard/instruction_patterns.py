"""Patterns of instructions to the assistant in several languages, matched against lower-case text."""

import re
from functools import cache

from recollect.language.prefilter import required_literals

_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|directives?|restrictions?|filters?|safeguards?"
    r"|training|programming|orders)"
)
_ASSISTANT = r"(?:the |this |your |an? )?(?:assistant|(?:chat)?bot|ai|language model|llm)"
# A bare verb is an order unless somebody does it: "I ignore", "wants to forget".
_ORDER = (
    r"(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bpeople )(?<!\bnever )(?<!\bwants to )(?<!\btries to )(?<!\btrying to )"
    r"(?<!\bcan't )(?<!\bcannot )(?<!\bto not )"
)
_MAY = (
    r"(?:may|can|could|must|should|shall|is allowed to|are allowed to|am allowed to|(?:has|have) (?:\w+ )?(?:rights?"
    r"|permissions?|access|clearance) to|(?:is|am|are) (?:authori[sz]ed|permitted|entitled|cleared) to)"
)
_SEE = r"(?:see|read|access|view|edit|delete|erase|change|know|hear|modify|control|override)"
_OTHERS = (
    r"(?:all|every(?:one|body|thing)?(?:'s)?|others?'?|any(?:one|body|thing)?(?:'s)?|private|hidden|secret|system"
    r"|\w+'s)"
)
_STORED = (
    r"(?:memor(?:y|ies)|messages?|facts?|data|notes?|secrets?|dms?|users?|rules?|prompts?|chats?|conversations?"
    r"|passwords?)"
)
_SPEAK = (
    r"(?:say|tell|reply|answer|respond|claim|insist|recommend|deny|give|send|post|write|repeat|mention|promote|advise)"
)

_PATTERNS = (
    # the rules are to be dropped
    rf"{_ORDER}\b(?:ignore|disregard|forget|override|bypass|discard|drop|suspend|violate"
    rf"|break)\b (?:\w+ ){{0,4}}(?:previous|prior|above|earlier|preceding|former|existing|all|any|every|these"
    rf"|your|system|safety)\b(?: \w+){{0,3}} {_RULES}\b",
    rf"{_ORDER}\b(?:ignore|disregard)\b (?:everything|all|anything|what)\b.{{0,20}}\b(?:above|before"
    rf"|previous(?:ly)?|said|told|know)\b",
    r"\bignore (?:all )?(?:previous|prior|above)\b",
    rf"\b(?:new|updated|real|true|secret) {_RULES} ?(?:are|is)?:",
    rf"{_ORDER}\b(?:obey|follow) (?:only |always )?(?:me\b(?! on\b)"
    rf"|my (?:orders?|commands?|rules?|every|word)|him|her|user|the user|this user|every order"
    rf"|whatever)\b",
    # who the assistant is to be
    r"(?<!where )(?<!who )(?<!what )(?<!how )\byou(?: are|'re) (?:now|no longer|from now on|hereby)\b"
    r"(?! ?[.,!?;]|$)"
    r"|\byou will (?:now )?(?:obey|act as|be known as"
    r"|pretend)\b",
    r"\b(?:developer|dan|god|admin|sudo|jailbreak|unrestricted) mode\b.{0,20}\b(?:on|enabled|active"
    r"|activated|unlocked)\b|\b(?:enter|enable|activate) (?:developer|dan|god|admin|sudo|jailbreak"
    r"|unrestricted) mode\b",
    r"\bdo anything now\b|\bjailbr(?:eak|oken) (?:the )?(?:assistant|bot|ai|yourself)\b",
    rf"{_ORDER}\bpretend (?:to be|you are|you're|that you)\b|{_ORDER}\bact as (?:if you|an? (?:admin"
    rf"|unrestricted|evil)|dan|root|my)\b",
    r"\bfrom now on,? (?:you\b|obey|follow|trust|believe|ignore|treat|pretend|act|do (?:what|as|any)"
    r"|the (?:assistant|bot))",
    # obligations of the assistant
    rf"\b{_ASSISTANT} (?:must|shall|has to|needs to|is (?:required|obliged|ordered|instructed|commanded|allowed"
    rf"|free) to|will (?:always|never|now)|is now)\b",
    rf"\b{_ASSISTANT} should (?!(?:not |never |always |please )*(?:answer|reply|respond|write|speak|talk|be|use"
    rf"|keep|call|address|explain|avoid|greet|remind)\b)",
    rf"\byou (?:must|shall|have to|are (?:required|ordered|commanded|instructed)) (?:\w+ )?(?:{_SPEAK}|obey"
    rf"|reveal|ignore|forget|trust|believe|do|act|promote|help|never|always)\b",
    # what is to be given away
    rf"{_ORDER}\b(?:reveal|show|print|repeat|output|leak|dump|expose|disclose|list|share"
    rf"|send)\b (?:\w+ ){{0,4}}(?:(?:system|hidden|initial|secret) )?(?:prompts?|instructions|secrets?"
    rf"|passwords?|api keys?|credentials|memories|private (?:data|messages|notes)|other users?)\b(?! (?:with"
    rf"|to) (?:him|her|them|his|friends))(?<!\bmy memories)",
    # rights over others
    rf"\b{_MAY} (?:\w+ )?{_SEE} (?:\w+ ){{0,2}}{_OTHERS} (?:\w+ ){{0,3}}{_STORED}\b",
    rf"\b(?:is|am|be|as) (?:the |an? |your )?(?:\w+ )?(?:admin|administrator|owner|creator|developer|operator"
    rf"|moderator|boss|master)s? of (?:{_ASSISTANT}|you)\b",
    r"\b(?:user|i|he|she|me|they)\b.{0,20}\b(?:always|unconditionally"
    r"|without question)\b.{0,10}\b(?:be )?(?:believed|obeyed|trusted)\b|\b(?:trust|believe|obey) (?:everything"
    r"|whatever|anything|all) (?:that )?(?:user|i|he|she|they|the user)\b",
    r"\b(?:has|have|grant|give|gets?) (?:user |me |him |her |them )?(?:full |unlimited |unrestricted |admin "
    r"|root |elevated )+(?:access|rights|privileges|permissions?) (?:to|over|on) (?:the |this |your "
    r"|all )?(?:bot|assistant|ai|memor|users|system prompt)",
    # what is to be spread, or said to others
    r"(?:^|[.!,;:] |please |and |then |must |should )(?:always |never )?(?:tell|inform|convince|remind|warn"
    r"|message|notify|dm) (?:everyone|everybody|all|other users|others|anyone|people|the others|each user"
    r"|every user|users)\b",
    rf"\b(?:whenever|every ?time|each time|anytime|if|when|once) (?!i\b|you\b|user\b|the user\b"
    rf"|i'm\b)[\w@<>]+(?: [\w']+){{0,2}}? (?:asks?|says?|mentions?|types?|writes?|wants?|inquires?"
    rf"|greets?)\b.{{0,80}}?(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bto )(?<!\buser )\b(?:{_SPEAK}|ban|kick|ignore"
    rf"|refuse)\b(?! no to)",
    rf"\b(?:always|only|must) (?:{_SPEAK}|end|start|begin|finish|include|add|append|insert)\b.{{0,40}}(?:https?:"
    rf"|www\.|\bwith (?:the (?:word|phrase|link|sentence|text)|exactly)|\bthe (?:phrase|link)"
    rf"|[\"“'‘«].{{2,}}[\"”'’»])",
    rf"{_ORDER}\b(?:ban|kick|mute|block|report) (?:everyone|every user|all (?:users|members|others|people)|anyone"
    r"|user\b|<@)",
    r"(?:^|[.!,;:] |please |and |then |must |should )(?:forget|delete|erase|remove|wipe|purge"
    r"|clear) (?:everything|all|anything|every ?thing|what you know|the (?:facts?|memor\w+)|every memory"
    r"|\w+'s (?:memor\w+|facts?|data))\b",
    # the same in looser words
    rf"{_ORDER}\b(?:ignore|disregard|forget|override|bypass|discard|drop)\b (?:\w+ ){{0,3}}{_RULES}"
    rf" (?:above|before|so far|you (?:were|have|got|know))\b",
    rf"^\W*(?:please )?(?:ignore|disregard|forget|override|bypass) (?:all |any )?(?:the|those|all|any)"
    rf" (?:of the )?(?:\w+ )?{_RULES}\b(?! (?:of|for|in|at|on)\b)",
    rf"\b(?:ignoring|disregarding|overriding|bypassing|forgetting) (?:\w+ ){{0,3}}(?:previous|prior|above|earlier"
    rf"|preceding|your|system)\b(?: \w+){{0,2}} {_RULES}\b(?! (?:plan|session|schedule)s?)",
    r"\bignore(?:all)?(?:the|your)?(?:previous|prior|above)",
    # whom the assistant is to obey
    r"\bwants? (?:you|(?:the |this )?(?:assistant|bot|ai)) to (?:always |only |blindly |fully |never )*(?:obey"
    r"|serve|trust (?!the\b|my\b|that\b)|worship|disregard|ignore (?!me\b|typos)|pretend|reveal)",
    r"(?:^|[.!,;:] |please |must |should |and )always obey\b|^\W*obey (?!the (?:law|speed|rules of))",
    r"\b(?:the|this|your) (?:assistant|(?:chat)?bot|ai) (?:always |only |fully |blindly )?(?:trusts|obeys|believes"
    r"|serves)\b",
    r"\b(?:my|his|her|their|\w+'s) (?:commands?|orders?|instructions?|words?|messages?) (?:ha(?:s|ve)|takes?|gets?)"
    r" (?:the |absolute |top |highest |full )*(?:priority|precedence|authority)\b(?! (?:shipping|delivery|mail"
    r"|support|boarding))",
    r"\b(?:i am|i'm|\w+ is) (?:the (?:system|bot) operator|your (?:\w+ )?(?:operator|developer|creator|owner"
    r"|admin|administrator|master))\b",
    # rank that is only claimed: one that is real has a place where it holds
    r"^\W*(?:note: )?(?:user )?(?:(?!my\b|our\b)@?[\w.-]+ is|i am|i'm|@?[\w.-]+'s) (?:also |now )?(?:an? |the )?"
    r"(?:admin|administrator|superuser|sysop|root(?: user)?)(?: now)?\W*$",
    r"\b(?:granted|given|assigned|has|have|gets?|got) (?:\w+ )?(?:root|admin\w*|full|unlimited|unrestricted"
    r"|elevated|superuser|operator) (?:access|rights?|privileges?|permissions?|powers?|status)\b"
    r"(?! (?:to|on|at|in|for|of|over)\b)",
    # what later readers are to do
    r"\b(?:note|message|memo|reminder|attention|instructions?|hint|warning|order)s? (?:to|for) (?:(?:all|any|every"
    r"|the|future|other|next|whatever) )*(?:assistants?|ais?|models?|llms?|(?:chat)?bots?|agents?)\b ?[:,;-]",
    r"(?:^|[.!,;:] |please |must |should |always )(?:send|forward|post|upload|leak|e?-?mail|transmit|copy)"
    r" (?:\w+ ){0,3}(?:memor(?:y|ies)|conversations?|messages?|logs?|facts|data|notes|transcripts?|everything) to"
    r" (?:https?:|\S{1,80}\.\w{2}|\S{1,80}@)",
    r"(?<!never )(?<!not )(?<!n't )\b(?:run|call|invoke|execute|use|trigger) (?:the |your )?"
    r"(?:delete|deletion|forget|erase|wipe|ban|kick|purge"
    r"|shutdown|shell)\w* (?:tool|function|command)s?\b",
    r"\b(?:always|never|must) .{0,60}\b(?:when(?:ever)?|if|each time|every ?time|once) you (?:see|read|hear|notice"
    r"|encounter) (?:the |this )?(?:word|phrase|name|code|sentence)\b",
    r"\b(?:run|call|invoke|execute|trigger) (?:the |your )(?:\w+ ){0,2}(?:tool|function)\b.{0,40}\b(?:when(?:ever)?"
    r"|if|every ?time|each time) (?:you|anyone|someone|somebody|a user)\b",
    # what replies are to carry to others
    r"\b(?:other|all|another|every) (?:users?|members?)(?:'s?)? (?:\w+ )?(?:memor(?:y|ies)|dms?"
    r"|private messages?|secrets?|passwords?)\b",
    r"\b(?:end|start|begin|finish|close|open|sign) (?:each|every|all|your|any) (?:\w+ )?(?:repl(?:y|ies)|answers?"
    r"|messages?|responses?)\b.{0,30}(?:https?:|www\.)",
    r"\b(?:repl(?:y|ies)|answers?|responses?)\b.{0,20}\b(?:contain|includ|mention|carr|show|advertis)\w*\b.{0,30}"
    r"(?:https?:|www\.|\blinks? [\w-]{1,40}\.\w{2})",
    r"\b(?:repl(?:y|ies)|answers?|responses?|you|assistant|bot)\b.{0,12}\b(?:always|each time|every time)"
    r" (?:praises?|promotes?|advertises?|endorses?|badmouths?|insults?)\b",
    # parts of a prompt
    r"^\W*(?:system|developer|assistant|sysprompt|system prompt|admin)(?: message| note| override| update"
    r"| instruction)?s?\s?[:>\]]",
    r"<\|?/?(?:system|im_start|im_end|instructions?|assistant)\b|\[/?inst\]|#{2,} ?(?:system|instruction)"
    r"|\bbegin system\b",
    # German
    r"\bignorier(?:e|t|en sie)?\b.{0,30}\b(?:anweisungen|regeln|befehle|vorgaben|instruktionen)\b"
    r"|\bvergiss (?:alle|alles|deine|die)\b",
    r"\bdu bist (?:jetzt|nun|ab (?:jetzt|sofort))\b|\b(?:ab jetzt|von nun an|ab sofort) (?:gehorch|musst|bist"
    r"|folgst|sollst|antwortest du nur)",
    r"\b(?:der|dieser) (?:assistent|bot) (?:muss|soll|darf|hat zu)\b|\bsag(?:e|t)? (?:allen|jedem|den anderen)\b"
    r"|\bgehorche? (?:mir|nur|dem)\b|\b(?:verrate?|zeige?|nenne?) (?:mir |uns )?(?:den|deinen|das|dein|die"
    r"|alle) (?:system)?(?:prompt|anweisungen|passw\w+|geheimnisse)",
    r"\bdarf (?:alle|fremde|jede)\w* (?:\w+ )?(?:erinnerungen|nachrichten|daten|notizen) (?:sehen|lesen|ändern"
    r"|löschen)",
    # French
    r"\b(?:ignore[rz]?|oublie[rz]?)\b.{0,15}\b(?:instructions|consignes|règles|tout ce qui)\b"
    r"|\boublie[rz]? tout\b|\btu es (?:maintenant|désormais)\b",
    r"\b(?:à partir de maintenant|désormais),? (?:tu (?:es|dois|obéis)|obéis)|\bl['’]assistant doit\b"
    r"|\bdis (?:à tout le monde|à tous|aux autres)\b|\b(?:révèle|montre|affiche)[srz]?(?:-moi)? (?:le|ton|tes"
    r"|les|votre) (?:prompt|instructions|mots? de passe|secrets)",
    # Spanish, Portuguese, Italian
    r"\b(?:ignor[ae]|olvida|esque[çc]a|dimentica|desconsidere)\b.{0,15}\b(?:instruc\w+|instru[çc][õo]es"
    r"|istruzioni|reglas|regras|regole)\b|\b(?:olvida todo|esque[çc]a tudo|dimentica tutto)\b",
    r"\b(?:ahora eres|agora voc[êe] [ée]|ora sei)\b|\b(?:a partir de (?:ahora|agora)|d['’]ora in poi),? (?:eres"
    r"|debes|obedece|voc[êe]|obede[çc]a|sei|devi|obbedisci)",
    r"\b(?:el|o|l['’]) ?ass?istente (?:debe|deve|tiene que|tem que)\b|\b(?:dile a todos|diga a todos"
    r"|d[ií] a todos|dillo a tutti|di['’] a tutti)\b|\b(?:revela|muestra|mostra|mostre|revele)(?:me)? (?:el|tu|o"
    r"|seu|il|tuo|los|os) (?:prompt|contrase\w+|senhas?|secretos|segredos)",
    # Russian
    r"игнорируй(?:те)?\b.{0,30}(?:инструкци|указани|правил|команд)|забудь(?:те)? (?:все|всё)\b|\b(?:теперь ты"
    r"|ты теперь)\b|скажи(?:те)? всем\b|(?:ассистент|бот) (?:должен|обязан)|с этого момента ты\b"
    r"|покажи(?:те)? (?:свой |мне )?(?:системный )?промпт",
    # Chinese, Japanese, Korean
    r"(?:忽略|无视|無視|忘记|忘掉).{0,6}(?:之前|以上|所有|先前|前面|全部).{0,8}(?:指令|指示|规则|規則|提示|命令|内容)?|你现在是|你現在是|从现在(?:开始|起),?你"
    r"|告诉所有人|告訴所有人|(?:显示|透露|告诉我).{0,6}(?:系统提示|密码)",
    r"(?:以前|これまで|上記|前|今まで|すべて|全て)の.{0,4}(?:指示|命令|ルール|プロンプト).{0,6}(?:無視|忘れ)|あなたは今(?:から|は)|(?:全員|みんな)に.{0,6}(?:伝え"
    r"|言っ)|システムプロンプトを.{0,4}(?:見せ|教え|表示)",
    r"(?:이전|위의|모든|지금까지의).{0,4}(?:지시|명령|규칙|지침).{0,8}(?:무시|잊)"
    r"|너는 이제|당신은 이제|모두에게 (?:말|전)",
)


@cache
def instruction_patterns() -> list[tuple[tuple[str, ...], re.Pattern[str]]]:
    """Each pattern with its required literals; compiled on first use, because that is slow."""
    patterns = map(re.compile, _PATTERNS)
    return [(required_literals(pattern), pattern) for pattern in patterns]
