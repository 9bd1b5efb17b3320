"""The corpus of secrets and look-alikes: reads the forms and makes up their values, so that none stands in a file.

Every second form of each class is the holdout: patterns are written for the others, and measured with it.
"""

import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import UUID

FOLDER = Path(__file__).parent.parent / "data" / "secrets"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
SEED_WORDS = """abandon ability acoustic adjust alarm anchor arctic autumn banana basket bicycle blossom bracket
butter canvas carbon casual ceiling cherry clarify comfort copper cradle cruise danger decade deposit dinner dolphin
dragon eagle elbow embrace engine escape exotic fabric famous fiction flavor forest fossil galaxy garment ginger glimpse
gospel gravity hamster harvest hockey humble icon impulse inject island jaguar jungle kangaroo kitchen ladder laundry
legend lizard lunar magnet marble mercy mixture mountain mystery napkin nephew noodle obscure olympic orbit oyster
panther parrot pencil pigeon planet portion prosper pumpkin quantum rabbit raven rescue ribbon rocket saddle salmon
scatter shuffle siren sniff spatial squirrel stomach sunset symptom tackle tenant thunder tobacco tornado tribe tunnel
umbrella unique valley velvet vintage volcano walnut whisper window wrestle yellow zebra""".split()
CARDS = {"plain": "4{}", "4444": "4{}", "dots": "4{}", "dashes": "4{}", "underscores": "4{}", "slashes": "4{}",
         "nbsp": "4{}", "mc": "53{}", "amex": "37{}"}  # fmt: skip
IBANS = {"DE": 22, "FR": 27, "GB": 22, "PL": 28, "TR": 26, "PT": 25}


@dataclass(frozen=True, slots=True)
class Form:
    """A text with the values that may not be stored; a look-alike has none."""

    topic: str
    text: str
    values: tuple[str, ...]
    holdout: bool

    def leaked(self, stored: str) -> bool:
        """Whether a value or half of a long one is in what was stored."""
        return any(part in stored for value in self.values for part in _parts(value))


def _parts(value: str) -> list[str]:
    half = len(value) // 2
    return [value, value[:half], value[half:]] if len(value) >= 16 else [value]


@cache
def secrets() -> tuple[Form, ...]:
    return _read(FOLDER / "forms.txt")


@cache
def harmless() -> tuple[Form, ...]:
    return _read(FOLDER / "harmless.txt")


def _read(path: Path) -> tuple[Form, ...]:
    forms: list[Form] = []
    topic, number = "", 0
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            topic, number = line.strip("[]"), 0
        elif line and not line.startswith("#"):
            text = _fill(line)
            values = re.findall("⟨(.*?)⟩", text, re.DOTALL)
            forms.append(Form(topic, re.sub("[⟨⟩]", "", text), tuple(values), number % 2 == 1))
            number += 1
    return tuple(forms)


def _fill(line: str) -> str:
    rng = random.Random(line)

    def value(match: re.Match[str]) -> str:
        kind, _, size = match[1].partition(":")
        return MAKERS[kind](rng, size) if kind in MAKERS else match[0]

    return re.sub(r"\{(\w+(?::\w+)?)\}", value, line.replace("\\n", "\n"))


def _from(alphabet: str) -> Callable[[random.Random, str], str]:
    def make(rng: random.Random, size: str) -> str:
        text = "".join(rng.choices(alphabet, k=int(size)))
        # A long value has a digit and a letter, as nearly all of them do.
        is_plain = len(text) > 9 and not (re.search(r"\d", text) and re.search("[A-Za-z]", text))
        return make(rng, size) if is_plain and alphabet != string.digits else text

    return make


def _password(rng: random.Random, _: str) -> str:
    word = rng.choice(["kolibri", "Sturm", "basilic", "Tomate", "zamek", "deniz", "Falcon", "girasol", "Nebel", "orzo"])
    forms = [
        f"{word}{rng.randrange(10, 9999)}",
        f"{word.title()}-{rng.randrange(10, 99)}!",
        f"{rng.randrange(1, 9)}{word}#{rng.choice('XYZ')}",
        f"{word[:3]}{rng.randrange(9)}{word[3:]}$",
    ]
    return rng.choice(forms)


def _luhn(digits: str) -> str:
    doubled = (int(digit) * (2 - index % 2) for index, digit in enumerate(reversed(digits)))
    return digits + str(-sum(value - 9 if value > 9 else value for value in doubled) % 10)


def _card(rng: random.Random, form: str) -> str:
    size = 15 if form == "amex" else 16
    prefix = CARDS[form].format("")
    card = _luhn(prefix + "".join(rng.choices(string.digits, k=size - 1 - len(prefix))))
    if form == "amex":
        return f"{card[:4]} {card[4:10]} {card[10:]}"
    groups = re.findall("....", card)
    joints = {"4444": " ", "mc": " ", "dots": ".", "dashes": "-", "underscores": "_", "slashes": "/", "nbsp": "\u00a0"}
    return joints.get(form, "").join(groups)


def _iban(rng: random.Random, country: str) -> str:
    country = country.upper()
    account = "".join(rng.choices(string.digits, k=IBANS[country] - 4))
    account = "WEST" + account[4:] if country == "GB" else account
    number = "".join(str(int(char, 36)) for char in account + country + "00")
    return f"{country}{98 - int(number) % 97:02}{account}"


def _grouped(text: str, joint: str) -> str:
    return joint.join(re.findall(".{1,4}", text))


def _words(rng: random.Random, size: str) -> str:
    return " ".join(rng.sample(SEED_WORDS, int(size)))


def _numbered(rng: random.Random, size: str) -> str:
    words = [f"⟨{word}⟩" for word in rng.sample(SEED_WORDS, int(size))]
    return "".join([words[0], *(f"\n{number}. {word}" for number, word in enumerate(words[1:], 2))])


def _ssn(rng: random.Random, _: str) -> str:
    return f"{rng.randrange(100, 665)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}"


def _check(digits: str, weights: list[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def _cpf(rng: random.Random, _: str) -> str:
    digits = "".join(rng.choices(string.digits, k=9))
    for first in (10, 11):
        digits += str(_check(digits, list(range(first, 1, -1))) * 10 % 11 % 10)
    return digits


def _pesel(rng: random.Random, _: str) -> str:
    digits = f"{rng.randrange(50, 99)}{rng.randrange(1, 13):02}{rng.randrange(1, 29):02}{rng.randrange(10000):04}"
    return digits + str(-_check(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)


def _tckn(rng: random.Random, _: str) -> str:
    digits = "1" + "".join(rng.choices(string.digits, k=8))
    odd, even = sum(map(int, digits[::2])), sum(map(int, digits[1::2]))
    digits += str((odd * 7 - even) % 10)
    return digits + str(sum(map(int, digits)) % 10)


def _nir(rng: random.Random, _: str) -> str:
    digits = f"{rng.randrange(1, 3)}{rng.randrange(50, 99)}{rng.randrange(1, 13):02}75{rng.randrange(999999):06}"
    key = f"{97 - int(digits) % 97:02}"
    return " ".join([digits[0], digits[1:3], digits[3:5], digits[5:7], digits[7:10], digits[10:], key])


def _dni(number: int) -> str:
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]


def _spanish(rng: random.Random, _: str) -> str:
    number = rng.randrange(10_000_000, 99_999_999)
    return f"{number}{_dni(number)}"


def _foreigner(rng: random.Random, _: str) -> str:
    number = rng.randrange(1_000_000, 9_999_999)
    return f"X{number}{_dni(number)}"


def _dotted_cpf(rng: random.Random, size: str) -> str:
    cpf = _cpf(rng, size)
    return f"{cpf[:3]}.{cpf[3:6]}.{cpf[6:9]}-{cpf[9:]}"


MAKERS: dict[str, Callable[[random.Random, str], str]] = {
    "pw": _password,
    "d": _from(string.digits),
    "hex": _from("0123456789abcdef"),
    "HEX": _from("0123456789ABCDEF"),
    "b62": _from(string.ascii_letters + string.digits),
    "b64": _from(string.ascii_letters + string.digits + "+/"),
    "b58": _from(BASE58),
    "b36": _from(string.ascii_lowercase + string.digits),
    "B36": _from(string.ascii_uppercase + string.digits),
    "B32": _from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    "bech32": _from(BECH32),
    "BECH32": _from(BECH32.upper()),
    "uuid": lambda rng, _: str(UUID(int=rng.getrandbits(128), version=4)),
    "wif": lambda rng, _: rng.choice("KL") + "".join(rng.choices(BASE58, k=51)),
    "bip": _words,
    "biplines": lambda rng, size: _words(rng, size).replace(" ", "\n"),
    "numbered": _numbered,
    "card": _card,
    "iban": lambda rng, country: _grouped(_iban(rng, country), " "),
    "ibanlower": lambda rng, country: _iban(rng, country).lower(),
    "ibanlowerspaced": lambda rng, country: _grouped(_iban(rng, country).lower(), " "),
    "ibandashes": lambda rng, country: _grouped(_iban(rng, country), "-"),
    "ssn": _ssn,
    "ssnplain": lambda rng, size: _ssn(rng, size).replace("-", ""),
    "cpf": _dotted_cpf,
    "cpfplain": _cpf,
    "dni": _spanish,
    "nie": _foreigner,
    "pesel": _pesel,
    "tckn": _tckn,
    "nir": _nir,
}
