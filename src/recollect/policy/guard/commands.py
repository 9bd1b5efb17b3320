"""Orders to the assistant in the imperative, rights that the speaker claims, and attempts to redefine the assistant.

An order is one by what it is about: other people, what is stored of them, rules, rights and tools. "Explain it to me"
and "send Tom the invoice", a task of the speaker's own, are none.
"""

from recollect.policy.guard.sorts import Reading


def commands(reading: Reading) -> bool:
    """Whether a clause begins with a command, and the sentence is about what is not the speaker's to decide."""
    if not reading.has_any("command", "treat") or not _is_imperative(reading):
        return False
    return (
        _is_about_others(reading)
        or _is_about_stored(reading)
        or _is_about_rules(reading)
        or _gives_rank(reading)
        or _is_about_tools(reading)
        or _is_to_be_said(reading)
    )


def claims_right(reading: Reading) -> bool:
    """Whether the speaker, or anybody, is said to have a right to what is others', or others none to be believed."""
    if reading.has("person") and _discredits_person(reading):
        return True
    if not reading.has_any("may", "power", "rank", "above"):
        return False
    is_of_others = reading.has_any("others", "whose", "reach", "person") and not reading.are_near("own", "stored", 2)
    is_to_read = reading.has("see") and (reading.has("stored") or reading.are_near("told", "assistant", 2))
    is_granted = reading.has("power") and reading.has("stored") and reading.has("reach")
    if reading.has("me") and is_of_others and (is_to_read or is_granted) and reading.has_any("may", "power"):
        return True
    if reading.has_any("i", "me") and reading.has_any("is", "since", "me") and _claims_ownership(reading):
        return True
    if reading.has("me", "rank", "may", "see", "reach"):
        return True
    if reading.are_near("power", "assistant", 1) and reading.has_any("stored", "grave"):
        return True
    if reading.has("hold", "rank", "person") and reading.has_any(
        "stored", "asked"
    ):  # his messages count as the owner's
        return True
    if reading.has("others", "may", "object", "me"):
        return True
    if reading.has("above") and reading.has_any("i", "own") and not reading.are_near("own", "rank", 1):
        return reading.has("rank") or reading.has("others", "here") or reading.has("others", "told")
    return reading.has("others", "may", "see") and (reading.has("rank", "here") or reading.has("your"))


def _discredits_person(reading: Reading) -> bool:
    """Whether all that a person says is said to be untrue, or has to be ignored."""
    if reading.has("blanket", "say") and reading.has_any("untrue", "duty"):
        return True
    return reading.has("duty", "slighted") and reading.has_any("asked", "stored")


def redefines_assistant(reading: Reading) -> bool:
    """Whether it says who the assistant is from now on, or for whom it works; "from now on call me Max" does not."""
    if reading.are_near("remade", "assistant") or reading.are_near("your", "goal", 2) or _assigns_master(reading):
        return True
    return reading.has("since") and reading.has_any("assistant", "your") and not reading.has("me")


def _assigns_master(reading: Reading) -> bool:
    """Whether the assistant is said to have a master, or to work for one alone; "your boss is late" is not."""
    is_named = reading.has_row("your", "master", "is") or reading.has_row("is", "your", "master")
    is_rightful = reading.has_row("your", "rightful", "master") or reading.has_row("your", "rightful", "rank")
    works_for_one = reading.are_near("assistant", "works") and reading.are_near("works", "alone")
    is_appointed = reading.has("appoint", "your") and reading.has_any("master", "rank")
    return is_named or is_rightful or is_appointed or (works_for_one and reading.has("for"))


def _claims_ownership(reading: Reading) -> bool:
    """Whether somebody is the owner of the bot, or its administrator."""
    return reading.are_near("steward", "your", 1) or reading.are_near("steward", "assistant", 2)


def _is_to_be_said(reading: Reading) -> bool:
    """What the assistant is to say to somebody, how, or never, and what somebody writes that it is to pass on."""
    if reading.are_near("command", "me", 1) and not reading.has("told"):
        return False
    if not reading.has("memorize") and reading.are_near("person", "told", 2) and reading.has("me"):
        return True
    if not reading.has("address", "person"):
        return False
    is_each_time = reading.has("blanket") and any(
        "address" in each and any("person" in other for other in reading.words[at + 1 : at + 4])
        for at, each in enumerate(reading.words)
    )
    return is_each_time or reading.has_any("that", "no", "untrue")


def _is_imperative(reading: Reading) -> bool:
    """Whether a command stands at the beginning of a clause, behind nothing but "please" and the like."""
    for start in reading.starts:
        for sorts in reading.words[start:]:
            if sorts & {"command", "treat"}:
                return True
            if not sorts & {"polite", "since"}:
                break
    return False


def _is_about_others(reading: Reading) -> bool:
    """Whether others are to be told or treated so; "call me Bea, everyone does" is about the speaker."""
    if reading.has("blanket") and (
        reading.has("believe") or (reading.has("person") and reading.has_any("comply", "loyal", "asked"))
    ):
        return True
    if reading.has("person", "believe") and reading.has_any("no", "say", "told"):
        return True
    if (
        reading.has("make", "person", "believe")
        or reading.has("expose", "person", "here")
        or reading.has("edit", "person", "detail")
    ):
        return True
    if reading.has("harm") and reading.has_any("person", "them", "others"):
        return True
    is_for_others = reading.has("others") and not reading.has("i") and not reading.are_near("command", "me", 1)
    is_untrue = reading.has("untrue") or reading.has("no", "truth")
    return is_for_others or (is_untrue and reading.has_any("person", "them"))


def _is_about_stored(reading: Reading) -> bool:
    """What is stored of somebody, or what somebody told the assistant; the speaker's own is theirs to ask for."""
    if reading.are_near("told", "assistant", 2) and not reading.has("i"):
        return True
    if reading.has("person") and reading.has_any("known", "told") and not reading.has_any("i", "memorize"):
        return True
    if not reading.has("stored") or reading.are_near("own", "stored", 2):
        return False
    is_of_another = reading.are_near("whose", "stored", 2) or reading.are_near("person", "stored")
    return is_of_another or reading.has("power", "of") or reading.has("here", "of")


def _gives_rank(reading: Reading) -> bool:
    """Whether somebody is to be taken for one who has a say here, or is made one."""
    if reading.has("appoint", "rank") and reading.has_any("your", "here", "assistant"):
        return True
    if reading.has("power", "rank") or reading.has("person", "rank", "same") or reading.has("person", "rank", "make"):
        return True
    if reading.has("treat", "me", "cleared"):
        return True
    return (reading.has("treat", "person") and reading.has_any("blanket", "same")) or reading.has("treat", "rank")


def _is_about_tools(reading: Reading) -> bool:
    """Whether a tool of rank is to be used, something hidden from who has a say here, or done without asking; "use the
    right tool" is advice.
    """
    if reading.has("execute", "blanket", "i") or reading.are_near("breach", "asked", 2):
        return True
    if reading.has("expose", "blanket", "here"):
        return True
    if reading.has("tool", "rank") or reading.has("hide", "rank") or reading.has("person", "see", "here"):
        return True
    return reading.has("person") and reading.are_near("unasked", "asked", 1)


def _is_about_rules(reading: Reading) -> bool:
    is_dropped = reading.are_near("breach", "rules") or reading.are_near("hidden", "rules", 1)
    return reading.has("rules") and (is_dropped or reading.are_near("your", "rules", 2) or reading.has("assistant"))
