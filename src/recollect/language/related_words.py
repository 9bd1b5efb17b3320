"""Synonyms, and words that imply another word."""

from collections.abc import Iterable

_RELATED = (
    "dev developer develop developing engineer programmer programs program coder code codes coding programming",
    "short brief briefly concise terse succinct",
    "long detailed detail thorough verbose",
    "profession occupation job", "flat apartment", "kid kids child children", "baby newborn",
    "teach teaches teacher taught teaching",
    "run runs running runner jog jogging ran",
    "buy buys bought purchase purchased buying",
    "write writes wrote written writing writer", "sing sings sang singer", "swim swims swam swimming",
    "drive drives drove driving", "eat eats ate eating food", "drink drinks drank drinking",
    "language languages speak speaks", "emoji emojis smiley smileys", "wake wakes woke waking",
    "grow grew grows grown raised", "fly flies flew flying flight", "sell sells sold selling",
    "bike bicycle cycling cycle cyclist cycles biking", "break breaks broke broken", "lose loses lost",
    "big large huge", "small little tiny", "quick fast", "pc computer", "photo photos photography photographer",
    "university uni college", "maths math mathematics", "film films movie movies", "tv television",
    "synth synths synthesizer synthesizers", "phone cellphone smartphone", "favourite favorite fave fav favorites",
    "born birthday bday birth", "start starts started starting began begins join joined",
    "call calls called calling",
    "build builds building built make makes making working", "mostly mainly usually primarily main",
    "rarely seldom hardly barely rare", "cannot cant unable", "holiday vacation", "game games gaming gamer",
    "get gets getting got", "stop stops stopped quit quits gave given", "turn turns turned",
    "go goes going went gone",
    "find finds found", "switch switched switching ditched swapped dropped moved", "spend spends spent",
    "sleep sleeps slept sleeping", "meet meets met meeting",
    "ill sick", "boring bored", "scared afraid fear fears phobia terrified freak", "shop store",
    "wed wedding married marry",
    "bad terrible awful horrible", "teenager teen", "fulltime full", "gym workout workouts",
    "fiance fiancee engaged", "understand understands",
)  # fmt: skip


def _by_word(groups: Iterable[str]) -> dict[str, set[str]]:
    related: dict[str, set[str]] = {}
    for group in map(str.split, groups):
        for word in group:
            related.setdefault(word, set()).update(group)
    return related


RELATED_TO = _by_word(_RELATED)
"""Synonyms of each word."""
IMPLIED_BY = {
    word: frozenset(implying.split())
    for group, implying in {
        "vegetarian": "meat vegan veggie",
        "diet follows": "vegan vegetarian diet eat eats",
        "child children kid kids": "son sons daughter daughters baby newborn twins toddler dad mum mom",
        "parent father mother": "kids kid son daughter baby",
        "sibling siblings": "sister sisters brother brothers",
        "pet pets": "dog dogs cat cats puppy kitten hamster parrot rabbit",
        "spouse married": "wife husband",
        "partner": "wife husband girlfriend boyfriend fiance fiancee",
        "home": "house flat apartment live moved",
        "car": "drive",
        "software": "dev developer code coding programmer programming",
        "alcohol": "drink drinking drinks drank sober beer wine",
        "medical medicine": "med",
        "died dead": "lost passed death",
        "team": "we our us",
        "avoids avoid": "not dont no never cant without",
        "left leaves": "quit resigned moved",
        "quit": "left stopped gave",
        "intolerant": "cant",
        "cold": "winter",
        "new": "got bought started just",
        "city": "town moved live",
        "hometown": "from grew born",
        "relationship dating": "girlfriend boyfriend partner together",
        "health": "sick ill hospital",
        "adopted": "rescued",
        "owner": "own owns",
        "some": "little bit",
    }.items()
    for word in group.split()
}
"""Words that imply a word without being synonyms: a sister implies a sibling, not the other way round."""
