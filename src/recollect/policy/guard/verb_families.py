"""The plain verbs of facts, and the words of a quote that entail each of them.

Not exhaustive: what is missing here is refused, so that too little is learned rather than too much.
"""

from dataclasses import dataclass

_NUMBERS = r"\d+|two|three|four|five|six|seven|eight|nine|ten"
_SINCE = r"(?=.*\b(?:since|for|always|all my life)\b)"
_HAVE_EVER = r"(?:i've|ive|we've|have|has|been) (?:\w+ ){0,2}?"
_FOR_OTHERS = (
    r"(?!(?: (?:my|our|his|her|their|the))? (?:him|her|them|you|mum|mom|dad|mother|father|sister|brother|son"
    r"|daughter|kids?"
    r"|wife|husband|girlfriend|boyfriend|friends?|partner|boss|grandma|grandpa|niece|nephew|cousin|parents)\b)"
)
_NO_TRADE = r"(?!(?:\w+ )?(?:fan|patient|customer|member|user|guest|visitor|tourist|bit|person|lot|few)\b)"


@dataclass(frozen=True, slots=True)
class Family:
    """A verb of facts; each field except the first and the last is a regular expression of alternatives."""

    name: str
    claims: str
    """Its forms in a fact about the present."""
    claims_past: str
    """Its forms in a fact about the past or a wish."""
    now: str
    """What entails it in the present."""
    past: str = ""
    """What entails it only in the past."""
    foreign: str = ""
    """Like `now`, in other languages than English."""
    foreign_past: str = ""
    """Like `past`, in other languages than English."""
    unspaced: str = ""
    """Like `now`, in scripts without spaces."""
    unless: str = ""
    """What excludes the verb despite a match."""
    owned: bool = False
    """Whether "my …" entails it for the named thing."""


FAMILIES = (
    Family(
        "live",
        claims=r"lives|live|living|resides|residing|based|wohnt|lebt|habite|vive|mora|abita|живёт|живет",
        claims_past=r"lived|to live|resided",
        now=r"live|lives|living|resid\w+|based|relocated|settled|moved(?! out)|here in|lifelong|local"
        r"|lived anywhere but"
        r"|(?:my|our) (?:\w+ ){0,2}(?:house|flat|apartment|place|room|home)|share a|rent(?:ing)? a|home is"
        r"|home for (?:me|us)"
        rf"|home base|call (?:\w+ )?home|bought a (?:\w+ )?(?:house|flat|apartment|place)|{_HAVE_EVER}lived{_SINCE}"
        r"|(?:i'm|i am|im|we're|we are) (?:\w+ )?in\b(?=.*\b(?:these days|now|currently|since|nowadays)\b)",
        past=r"lived|grew up|raised|spent|years? in",
        foreign=r"wohn(?:e|en|t|haft)|leb(?:e|en|t)|umgezogen|gezogen|zuhause|daheim|(?:j'|d')?habit(?:e|ent|ons)"
        r"|vis|vit|vivons"
        r"|déménagé|viv(?:o|e|en|imos)|mor(?:o|a|am|amos)|abit(?:o|a|iamo)|viviamo|mudé|mudei|trasferit\w+|жив\w+"
        r"|переехал\w*",
        foreign_past=r"wohnte|gewohnt|lebte|gelebt|vécu|(?:j')?habit\w+|viví\w*|morava|жил\w*",
        unspaced="住|暮ら|引っ越|搬到|搬家|살",
        unless=r"visit\w*|hotel|hostel|airport|airbnb|stopover|layover|holidays?|vacation|trip|such[et]\w*|cherche"
        r"|busco|procuro"
        r"|cerco|ищу",
    ),
    Family(
        "work",
        claims=r"works?(?! with)|working(?! with)|employed|employee|job|arbeitet|travaille|trabaja|trabalha|lavora"
        r"|работает",
        claims_past=r"worked|to work",
        now=r"work|works|working|workplace|job|jobs|employ\w+|shifts?|office|boss|colleagues?|co-?workers?|career"
        r"|company|hired"
        r"|started (?:at|as|with|in|working|my|a|the)|joined|promoted|freelanc\w+|intern\w*|contractor|profession"
        r"|for a living"
        rf"|(?:i'm|i am|im|we're|being|as|been|became) (?:[\w-]+ ){{0,2}}?(?:an?|the) {_NO_TRADE}\w+|teach|manage"
        rf"|lead|code|serve"
        rf"|(?:i'm|i am|im) (?:\w+ )?on the (?:\w+ )?team|(?:still|now|currently|been) (?:at|with)"
        rf"|{_HAVE_EVER}(?:worked|with){_SINCE}"
        r"|(?:my|our) (?:\w+ )?(?:team|shop|store|business|startup|studio|practice|clients)",
        past=r"worked|was|were|used to be",
        foreign=r"arbeit\w*|jobbe|beruf\w*|angestellt|travaille\w*|bosse|trabaj(?:o|a|amos)|trabalh(?:o|a)|lavor(?:o|a)"
        r"|работа(?:ю|ет|ем)|ich bin|je suis|soy|sou|sono|^я \w+",
        foreign_past=r"arbeitete|gearbeitet|travaillé|trabaj\w+|работал\w*",
        unspaced="働|仕事|勤|です|工作|上班|是|일",
        unless=r"offer\w*|appl(?:y|ied|ying|ications?)|interview\w*|reject\w*|job hunt\w*|looking for|quit|lost"
        r"|fired|laid off",
    ),
    Family(
        "own",
        claims=r"owns|has|keeps|have|hat|besitzt|tiene|tem|possède",
        claims_past=r"owned|had|kept|to have|to own",
        now=r"have(?! to\b)|has(?! to\b)|having|i've|ive|we've|own|owns|owner|mine|adopted|inherited|received"
        r"|rescued|gave me"
        rf"|given|gifted|keep|diagnosed|allerg\w*|intoleran\w+|share|raising|suffer\w*|due|scheduled|booked"
        rf"|(?:got(?! to\b)|gotten|bought|purchased|picked up){_FOR_OTHERS}|live with|living with|with (?:a|an|my"
        rf"|our|{_NUMBERS})"
        r"|(?:drive|ride|run|started|opened|founded|launched|host) (?:a|an|my|our)|(?:father|mother|dad|mum|mom"
        r"|parent) (?:of|to)"
        r"|had (?:a |our |my )?(?:\w+ )?(?:baby|son|daughter|girl|boy|child|twins)"
        rf"|^(?:and )?(?:{_NUMBERS}) (?:\w+ )?\w+\W*$",
        past=r"had|owned|kept",
        foreign=r"(?:habe?|haben|hat)(?!.*\b\w*ge\w{2,}(?:t|en)\W*$)|gekauft|besitze\w*|bekommen|j'ai(?! (?:\w+é|vu"
        r"|lu|pris|fait|été|dit|mis)\b)|avons|on a|acheté|tengo|tenemos|tiene|compré|tenho|temos|tem"
        r"|comprei|ho|abbiamo|у меня|у нас|купил\w*|есть|allerg\w*|alérgic\w*",
        foreign_past=r"hatten?|avais|tenía|tuve|tinha|avevo|было?|была",
        unspaced="飼っ|飼い|持って|ある|あり|いる|います|買っ|アレルギー|有|养|養|买|있",
        unless=r"sold|selling|lent|borrow\w*|rent(?:ing|ed)?|stolen|gave away|given away|returned|verkauft|vendu|vendí",
        owned=True,
    ),
    Family(
        "use",
        claims=r"uses|use|using|works? with|working with|nutzt|verwendet|utilise|usa",
        claims_past=r"used|to use",
        now=r"use|uses|using|user|run|runs|running|on|with|in|switched|moved (?:\w+ ){0,3}?to|write|code|program"
        r"|editor|shoot"
        r"|drive|play|got|bought|work|prefer|pronouns?|of course|always|have|love|like|via|through|daily|default"
        r"|go-to|started"
        rf"|{_HAVE_EVER}used|^[\w+#.-]+\W*$",
        past=r"used|wrote|coded|ran",
        foreign=r"nutz\w+|benutz\w+|verwend\w+|utilise\w*|uso|usamos|использую|mit|avec|con|com",
        unspaced="使|用",
        unless=r"tr(?:y|ied|ying)|download\w*|test(?:ed|ing)|heard|showed|uninstall\w*|stopped|quit|read|reading|saw"
        r"|decide",
        owned=True,
    ),
    Family(
        "like",
        claims=r"likes|like|enjoys|enjoy|interested|interest|interests|fan|mag|aime|gusta|gosta|любит",
        claims_past=r"liked|enjoyed|to like",
        now=r"lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy\w*|fan|fans|favou?rites?|favs?|into|ador\w+|obsess\w+"
        r"|prefer\w*|fond"
        r"|keen|crazy about|nothing (?:better|beats)|my (?:thing|jam|passion|hobby|hobbies|guilty)|enough of"
        r"|get enough|best"
        r"|great|awesome|amazing|good|fun|cool|delicious|appreciat\w+|sucker|hooked|addict\w*|passion\w*|interest\w*"
        r"|hobby"
        r"|hobbies|excit\w*|relax\w*|live without|rocks?|beautiful|soft spot|weakness|geek|nerd|curious|would rather"
        r"|could eat"
        r"|fascinat\w*|joy|dig|live for|thrill\w*|inspir\w*",
        foreign=r"mag|mögen|lieb\w*|gern\w*|(?:j')?aim\w+|(?:j')?ador\w+|gust\w+|encant\w+|gosto|piac\w+|amo|люб\w+"
        r"|нрав\w+",
        unspaced="好き|大好|楽し|趣味|喜欢|喜歡|爱|愛|좋",
    ),
    Family(
        "love",
        claims=r"loves|love|adores|adore|passionate|liebt|encanta",
        claims_past=r"loved|to love",
        now=r"lov(?:e|es|ed|ing)|ador\w+|favou?rite|obsess\w+|crazy|live without|get enough|nothing (?:better|beats)"
        r"|passion\w*"
        r"|(?:really|so|absolutely|very|huge|big|super|massive|biggest) (?:\w+ )?(?:like|fan|into|enjoy|much)|a lot"
        r"|best|could eat"
        r"|amazing|awesome|addict\w*|live for",
        foreign=r"lieb\w*|(?:j')?ador\w+|encant\w+|amo|amamos|люб\w+|обожа\w+",
        unspaced="大好き|愛|热爱|最喜欢|爱|사랑",
    ),
    Family(
        "dislike",
        claims=r"dislikes|dislike|hates|hate|detests|loathes|hasst",
        claims_past=r"disliked|hated|to hate",
        now=r"hat(?:e|es|ed|ing)|dislik\w+|stand|detest\w*|loath\w+|despis\w+|not|never|no|\w+n't|cannot|nope"
        r"|annoy\w*|boring"
        r"|gross|awful|worst|sick of|tired of|ugh|terrible|disgust\w*|sucks?|avoid\w*|overrated|yuck|bother\w*|except",
        foreign=r"nerv\w+|hass\w*|nicht|kein\w*|(?:je )?déteste|horreur|pas|odi\w+|no|não|non|ненавижу|не",
        unspaced="嫌|苦手|ない|ません|不|讨厌|討厭",
    ),
    Family(
        "speak",
        claims=r"speaks|fluent|spricht|parle|habla|fala",
        claims_past=r"spoke|to speak",
        now=r"speak|speaks|speaking|fluent\w*|native|bilingual|languages?|tongue",
        past=r"spoke|spoken",
        foreign=r"sprech\w+|spricht|parl(?:e|ons|o)|habl[oa]|fal[oa]|говор\w+",
        unspaced="話|しゃべ|说|說|会|말",
    ),
    Family(
        "play",
        claims=r"plays|play|playing|spielt|joue|juega|toca",
        claims_past=r"played|to play",
        now=rf"play|plays|playing|player|\w{{3,}}ist|drummer|singer|gamer|games?|gaming|guild"
        rf"|{_HAVE_EVER}played{_SINCE}",
        past=r"played",
        foreign=r"spiel(?:e|en|t)|joue\w*|jueg[oa]|toc[oa]|gioc[oa]|suon[oa]|jogo|играю",
        foreign_past=r"spielte|gespielt|joué|jugaba",
        unspaced="遊|弾|プレイ|ゲーム|やって|します|して|玩|弹|打",
    ),
    Family(
        "do",
        claims=r"does(?! ?n[o']t)|practi[cs]es",
        claims_past=r"to do",
        now=r"do|does|doing|practi\w+|every|class|classes|go|into|train\w*|each",
        past=r"did",
        foreign=r"mach\w+|fai[st]|hago|faço|faccio|занима\w+",
        unspaced=".",
    ),
    Family(
        "can",
        claims=r"can(?!'t| ?not)",
        claims_past=r"to be able",
        now=r"can|could|able|know how|knows how|good at|learned|learnt|taught|speak|allowed",
        foreign=r"kann|peux|sais|puedo|sé|posso|sei|so|могу|умею",
        unspaced="でき|られ|会|能|可以",
    ),
    Family(
        "study",
        claims=r"studies|study|studying|student|studiert|étudie|estudia|estuda",
        claims_past=r"studied|to study",
        now=r"stud(?:y|ies|ying|ents?)|degree|major\w*|phd|uni|university|college|school|semester|course\w*"
        r"|bachelor\w*|master\w*"
        r"|thesis",
        past=r"studied|graduat\w+",
        foreign=r"studier\w*|(?:j')?étudi\w+|estud\w+|учусь|studio",
        foreign_past=r"studierte|étudié",
        unspaced="学|勉強|専攻|大学|读|공부",
        unless=r"sat in on|lecture today",
    ),
    Family(
        "move",
        claims=r"moved|moves|moving|move",
        claims_past=r"to move",
        now=r"mov\w+|relocat\w+",
        foreign=r"umgezogen|gezogen|ziehe\w*|zog|déménag\w+|mud\w+|переех\w+|trasfer\w+",
        unspaced="引っ越|移|搬|이사",
    ),
    Family(
        "travel",
        claims=r"goes(?! by)|visits|travels|commutes",
        claims_past=r"traveled|travelled|visited|went|to visit|to travel|to go",
        now=r"go|goes|going|travel|travels|traveling|visit|visits|commut\w+|every|each|often|join|attend|take",
        past=r"went|gone|travel\w*|trips?|visit\w*|been|back from|fl(?:y|ies|ew|ying|ight)|drove|holiday|vacation"
        r"|tour\w*|join\w*"
        r"|attend\w*|taking|took",
        foreign=r"reise\w*|gehe\w*|voy|vado|vais",
        foreign_past=r"war|allée?|fui|visité|andato|ездил\w*",
        unspaced="行|旅|訪|去|여행",
    ),
    Family(
        "prefer",
        claims=r"prefers|prefer|preferred",
        claims_past=r"to prefer",
        now=r"prefer\w*|rather|lik(?:e|es|ing)|lov(?:e|es)|over|better|best|favou?r\w*|please|pls|plz|wants?|always"
        r"|only|more|instead"
        r"|keep|use|don't|dont|no|not|never|can you|could you|would you|calls?|feel free|thanks|needs?|mostly|answer"
        r"|reply|hate"
        r"|than|go with|stick|any day|pronouns|good|works? for|usually|my|person|stop|just|make|give|talk|speak"
        r"|write|explain|show"
        r"|be|remember|address|team|choose",
        foreign=r".+",
        unspaced=".",
    ),
    Family(
        "from",
        claims=r"(?:is|comes|hails|originally|are) (?:originally )?from",
        claims_past=r"to come from",
        now=r"from|born|native|originally|hometown|grew|raised|roots|nationality|\w{3,}(?:ian|ish|ese|an)",
        foreign=r"aus|de|du|d'\w+|da|do|di|из|des",
        unspaced="出身|生まれ|から|来自|人|출신",
    ),
)
