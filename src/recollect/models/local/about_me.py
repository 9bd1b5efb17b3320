"""Rules for what people say about themselves after "I": homes, jobs, tastes, tools, languages, diets, possessions."""

import re

from recollect.core.types import Kind
from recollect.language.lexicon import CONDITION, DIET, OWNED, TOOLS
from recollect.models.local.rephrase import conjugate, object_phrase, strip_duration
from recollect.models.local.rule import LIKELY, Rule, capitalize_name, from_template, make_finding, rule
from recollect.models.local.statements import (
    PLAYED,
    aged,
    allergic,
    codes,
    has,
    is_a,
    learns,
    lives,
    moved,
    place_name,
    project,
    speaks,
    switched,
    uses,
    works,
    works_with,
)
from recollect.models.local.tastes import fancies, taste


def _condition(kind: Kind) -> "Rule":
    words = DIET if kind is Kind.CONSTRAINT else CONDITION
    return rule(
        rf"am (?:an? )?(?P<o>(?:strict |strictly |mostly |happily |recently |legally |partially |"
        rf"red-green )?(?:{words})"
        r"(?: (?:to|in|for|with|since|except|and) .*)?)[\s.!]*(?:,.*|btw|lol|so .*|but .*|[^\w]*|too|now|\(.*)?$",
        from_template("is {}", kind),
    )


RULES: list[Rule] = [
    rule(r"(?P<verb>prefer|like|love|enjoy|adore|hate|dislike|despise|detest|loathe|cannot stand|do not (?:really |"
         r"particularly )?(?:like|enjoy|love))\s+(?P<o>.+)", taste),
    rule(r"am (?:not (?:really )?|such )?(?P<o>an? (?:big |huge |massive |real )?(?:fan of|cat person|dog person|"
         r"morning "
         r"person|night owl|early bird|(?:cat|dog|tea|coffee) lover|coffee person|tea person)\b.*)", fancies),
    rule(r"am (?:really |very |super |big |pretty )?into (?P<o>(?!week|day|month|the\b|an?\b|my\b|hour|chapter|"
         r"season|round|town).+)", from_template("is into {}", Kind.PREFERENCE, LIKELY)),
    rule(r"am (?:obsessed with|passionate about) (?P<o>.+)", from_template("likes {}", Kind.PREFERENCE, LIKELY)),
    rule(r"(?:am (?:severely |very |really |deathly |mildly |super )?|have an? )(?:allergic|allergy|"
         r"intolerant) to (?P<o>.+)",
         allergic),
    rule(r"have an? (?P<o>(?:severe |bad |mild )?[\w ]{3,20} (?:allergy|intolerance))\b", lambda m, _:
         make_finding(f"has {'an' if m['o'][0] in 'aeiou' else 'a'} {m['o'].lower()}", Kind.CONSTRAINT)),
    rule(r"(?:cannot|do not) (?P<v>eat|drink|have|tolerate|digest|do) (?P<o>(?:any )?(?:meat|pork|beef|fish|seafood|"
         r"shellfish|dairy|gluten|nuts|peanuts|eggs|sugar|alcohol|coffee|caffeine|lactose|wheat|soy|red meat|milk|"
         r"wheat|"
         r"spicy food|animal products|cheese|mushrooms|cilantro|chicken)\b.*)", lambda m, _: (
             (phrase := object_phrase(m["o"])) and make_finding(
                 ("can't" if m[0].lower().startswith("cannot") else "doesn't") + f" {m['v'].lower()} {phrase}",
                 Kind.CONSTRAINT)) or None),
    rule(r"do not drink\W*$", lambda _, __: make_finding("doesn't drink alcohol", Kind.CONSTRAINT, LIKELY)),
    _condition(Kind.CONSTRAINT),
    _condition(Kind.FACT),
    rule(r"(?:live|reside|am (?:currently )?living|have been living|have lived|am based|"
         r"was living here) in (?P<o>.+)",
         lives),
    rule(r"live (?P<o>(?:with (?:my|two|three|four|a|an|\d)|alone|near|close to|next to|just outside)\b.*)",
         from_template("lives {}", Kind.FACT)),
    rule(r"am (?:originally )?from (?P<o>.+)|come from (?P<p>.+)", lambda m, c: (
        (phrase := place_name(m["o"] or m["p"], c)) and make_finding(f"is from {phrase}", Kind.FACT)) or None),
    rule(r"(?:was born|grew up) (?P<h>and raised )?in (?P<o>.+)", lambda m, c: (
        (phrase := place_name(m["o"], c)) and make_finding(
            f"{'was born' if m[0].lower().startswith('was') else 'grew up'} in {phrase}", Kind.FACT)) or None),
    rule(r"(?:(?:have )?(?:just |recently |finally )?(?:moved|relocated|migrated)(?: back)?(?: over)?)(?: from "
         r"(?P<old>[\w +#.-]+?))? to (?P<o>.+)", moved),
    rule(r"(?:(?:have )?(?:just |recently |finally )?(?:switched|converted|changed)(?: back| over)?)(?: from "
         r"(?P<old>[\w +#.-]+?))? to (?P<o>.+)", switched),
    rule(r"(?:replaced|ditched|dropped) (?:my )?(?P<old>[\w +#.-]+?) (?:with|for|in favou?r of) (?P<o>.+)", switched),
    rule(r"(?:work|am working|have been working|have worked) (?P<how>at|for|as|in) (?P<o>.+)", works),
    rule(r"(?:work|am working|have been working) with (?P<o>.+)", works_with),
    rule(r"work (?P<o>(?:from home|remotely|part[- ]time|full[- ]time|nights|night shifts?|weekends|freelance)\b.*)",
         from_template("works {}", Kind.FACT)),
    rule(r"(?:am (?:on|part of)|work on) the (?P<o>[\w -]+ team)\b(?! (?:call|meeting|page|today))",
         from_template("on the {}", Kind.FACT)),
    rule(r"(?:run|lead|manage|own) the (?P<o>[\w -]+ team)\b", from_template("leads the {}", Kind.FACT)),
    rule(r"(?P<verb>run|lead|manage|own|co-own|moderate|organi[sz]e|coach|teach) (?P<o>(?:an? |the |"
         r"our )(?:[\w-]+ ){0,3}"
         r"(?:company|shop|bakery|caf[eé]|restaurant|studio|team|club|server|discord|community|meetup|blog|"
         r"business|startup|"
         r"agency|farm|podcast|newsletter|class|course|band|choir|group|store|bookshop|bar|guild)\b.*)", lambda m, _: (
             (phrase := object_phrase(m["o"]))
             and make_finding(f"{conjugate(m['verb'])} {phrase}", Kind.FACT)) or None),
    rule(r"teach (?P<o>(?!you|him|her|them|it|my|us\b|people|every)\w.+)", from_template("teaches {}", Kind.FACT)),
    rule(r"(?:am|have been) (?P<art>an?|the(?= (?:lead|head|cto|ceo|only|founder|owner|maintainer|author|director|"
         r"chief)\b)) "
         r"(?P<o>.+)", is_a),
    rule(r"am (?P<o>an? (?:single )?(?:mother|father|mom|mum|dad|parent) of .+)", from_template("is {}", Kind.FACT)),
    rule(r"am (?P<age>\d{2,3})(?: years old| years of age| yo| y/o|yo)?(?:[\s,.!]*(?:btw|lol|now|and|so|but|haha|"
         r"[^\w]+)?.*)?$",
         lambda m, c: aged(m, c) if re.match(r"am \d+(?: years| yo| y/o|yo|\W*(?:btw|lol|now|haha)?\W*$)", m[0],
                                                re.I) else None),
    rule(r"am in (?P<o>(?:the )?(?:CET|CEST|EST|EDT|PST|PDT|GMT|UTC|BST|JST|IST|MST|CST|"
         r"AEST)(?:\s?[+-]\s?\d{1,2})?)\b.*",
         lambda m, _: make_finding(f"timezone is {m['o'].upper().removeprefix('THE ')}", Kind.FACT)),
    rule(r"go by (?:the name )?(?P<o>[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)[\s.!,]*(?:btw|here|online|on here|now|\(.*|"
         r",.*)?$",
         lambda m, c: make_finding(f"goes by {capitalize_name(m['o'], c)}", Kind.FACT)
         if m["o"][0].isupper() or c.lacks_capitals else None),
    rule(r"(?P<verb>speak|understand) (?P<o>.+)", speaks),
    rule(r"am (?:currently |now )?(?P<verb>learning|studying|teaching myself|majoring in|doing a phd in|"
         r"taking up) (?P<o>.+)",
         learns),
    rule(r"have been (?P<verb>learning|studying|building|working on|developing|writing) (?P<o>.+)", lambda m, c:
         (learns if m["verb"].lower() in ("learning", "studying") else project)(m, c)),
    rule(r"study (?P<o>(?!hard|a lot|too|at night|all|every|better|for\b|with\b|in\b|best).+)",
         from_template("studies {}", Kind.FACT)),
    rule(r"am (?:currently |now |still |also |actively |slowly |mostly )*(?P<verb>working on|building|developing|"
         r"designing|"
         r"creating|rewriting|writing|migrating|restoring|renovating|composing|recording|training for|"
         r"porting) (?P<o>.+)",
         project),
    rule(r"maintain (?P<o>(?:(?:an?|the|our|some|several|two|three) |(?-i:[A-Z])).+)",
         from_template("maintains {}", Kind.PROJECT)),
    rule(r"(?:use|have been using|am (?:currently |now |still )?using|am on|run|daily drive) (?P<o>.+)", lambda m, c:
         uses(m, c) if re.match(r"(?i)(?:use|have been using|am .*using)\b", m[0]) else (
             uses(m, c) if re.match(r"(?:an? )?[\w.+#-]+", m["o"]) and m["o"].split()[0].lower().strip(",.!") in TOOLS
             else None)),
    rule(r"(?P<verb>code|program|write|develop) (?:mostly |mainly |primarily )?(?P<in>in )?(?P<o>.+)", codes),
    rule(r"(?:have been playing|play) (?P<o>(?!with\b|it\b|this\b|a role|along|dead|fair|dumb|safe|favou?rites|"
         r"by\b|too\b|so\b|around|hard|devil|catch|tricks|"
         r"a lot|a bit|more|better|well\b|badly|sometimes|on\b|in\b).+)", lambda m, _: (
        (phrase := object_phrase(strip_duration(m["o"]))) and (PLAYED.search(phrase) or re.search(r"\b[A-Z]", phrase))
        and make_finding(f"plays {phrase}", Kind.FACT)) or None),
    rule(r"(?P<verb>drive|ride|collect|grow|breed|brew|sing in|volunteer|keep) (?P<o>(?:an? |my own |in |at |for |"
         r"vintage |old "
         r"|bees|chickens|vinyl|stamps|coins|tomatoes|board games).*)", lambda m, _: (
             (phrase := object_phrase(strip_duration(m["o"])))
             and not re.search(r"\b(?:hard bargain|eye|crazy|up|mind|secret|"
                  r"note)\b", phrase)
             and make_finding(f"{conjugate(m['verb'].split()[0])} {' '.join([*m['verb'].split()[1:], phrase])}",
                        Kind.FACT)) or None),
    rule(rf"(?P<verb>have|own|have got) (?P<o>(?:(?:an?|one|two|three|four|five|six|\d{{1,2}}|some|"
         rf"no) (?:[\w'-]+ ){{0,3}}?)?"
         rf"(?:{OWNED})(?:e?s)?(?=\s*(?:$|[^\w\s-]|(?:named|called|who|that|with|and|in|at|from|but|so|which|now|"
         rf"too|lol|"
         r"btw|tho|already)\b)).*)", has),
    rule(r"(?P<o>have adhd\b|have asthma\b).*", lambda m, _: make_finding(m["o"].replace("have", "has"), Kind.FACT)),
]  # fmt: skip
