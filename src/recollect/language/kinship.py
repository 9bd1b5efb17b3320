"""Words for relatives and acquaintances in several languages: "Mum" and "Mutter" both mean mother."""

from functools import lru_cache

from recollect.core.text import fold, words

_PEOPLE = """
    mother|mom|mum|mama|mommy|mummy|mutter|mère|maman|madre|mãe|mamá|mamma|мама|мать|母|妈妈|媽媽|엄마
    father|dad|daddy|papa|vater|père|padre|pai|papá|papà|папа|отец|父|爸爸|아빠
    parent|parents|folks|eltern|padres|pais|genitori|родители|両親|父母
    sister|sis|schwester|sœur|hermana|irmã|sorella|сестра|姉|妹|姐姐|妹妹
    brother|bro|bruder|frère|hermano|irmão|fratello|брат|兄|弟|哥哥|弟弟
    sibling|siblings|geschwister|hermanos|irmãos
    son|sohn|fils|hijo|filho|figlio|сын|息子|儿子
    daughter|tochter|fille|hija|filha|figlia|дочь|дочка|娘|女儿
    child|children|kid|kids|baby|kind|kinder|enfant|enfants|niño|niña|hijos|filhos|figli|ребёнок|дети|子供|孩子
    wife|frau|femme|esposa|mujer|mulher|moglie|жена|妻|老婆
    husband|hubby|ehemann|mann|mari|marido|esposo|marito|муж|夫|老公
    partner|spouse|fiancé|fiancée|fiance|fiancee|partnerin
    girlfriend|gf|freundin|copine|novia|namorada|ragazza|fidanzata|подруга|彼女|女朋友
    boyfriend|bf|freund|copain|novio|namorado|ragazzo|fidanzato|彼氏|男朋友
    ex
    grandmother|grandma|granny|nan|oma|großmutter|grand-mère|mamie|abuela|avó|nonna|бабушка|祖母
    grandfather|grandpa|granddad|opa|großvater|grand-père|papi|abuelo|avô|nonno|дедушка|祖父
    aunt|auntie|tante|tía|tia|zia|тётя uncle|onkel|oncle|tío|tio|zio|дядя
    cousin|cousins|cousine|primo|prima nephew|neffe|neveu|sobrino niece|nichte|nièce|sobrina
    friend|friends|buddy|mate|bestie|ami|amie|amigo|amiga|amico|amica|друг|友達|友人|朋友
    boss|manager|chef|chefin|patron|jefe|jefa|capo|начальник|上司|老板
    colleague|colleagues|coworker|coworkers|co-worker|kollege|kollegin|collègue|colega|同僚|同事
    neighbour|neighbours|neighbor|neighbors|nachbar|nachbarin|voisin|voisine|vecino|vecina|vizinho|vizinha|сосед
    roommate|roommates|flatmate|flatmates|housemate|mitbewohner|mitbewohnerin|coloc
    teacher|lehrer|lehrerin|prof|professor|tutor student|students client|clients teammate doctor therapist landlord
    landlady nanny babysitter coach trainer family|familie|famille|familia|família|famiglia
"""
_STRANGERS = """
    guy guys girl girls man men woman women person people dude dudes lady kiddo stranger user users boy boys
    someone somebody anyone anybody everyone everybody nobody noone none folks others couple
"""
_CANONICAL = {fold(word): group.split("|")[0] for group in _PEOPLE.split() for word in group.split("|")}

RELATIVES = "|".join(sorted((word for group in _PEOPLE.split() for word in group.split("|")), key=len, reverse=True))
"""Alternation for patterns over lower-case text that keeps its accents."""
PEOPLE = frozenset(_CANONICAL) | frozenset(_STRANGERS.split())
UNSPACED = frozenset(word for word in _CANONICAL if ord(word[0]) > 0x3000)
BARE = frozenset("mom mum mama dad daddy papa grandma grandpa granny nan oma opa maman mamie hubby".split())
"""Words that mean the speaker's own relative even without a "my"."""


@lru_cache(maxsize=8192)
def person(word: str) -> str | None:
    """The canonical word for a relative or acquaintance, singular or plural; None for any other word."""
    folded = fold(word)
    canonical = _CANONICAL.get(folded)
    if canonical is None and len(folded) > 4 and folded[-1] in "sn":
        return _CANONICAL.get(folded[:-1]) or _CANONICAL.get(folded[:-2])
    return canonical


def is_same_person(first: str, second: str) -> bool:
    """Whether two words name the same relative or acquaintance."""
    return person(first) is not None and person(first) == person(second)


def mentioned(text: str) -> set[str]:
    """The canonical words for everyone mentioned, including in scripts without spaces."""
    people = {_CANONICAL[word] for word in words(text) if word in _CANONICAL}
    return people | {_CANONICAL[word] for word in UNSPACED if word in text}
