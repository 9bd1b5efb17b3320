"""Secret values go, mentions of secrets stay. The secrets are made up and put together, so that no scanner minds."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.policy.redaction import Redacted, known_formats, redact, redact_tags, spoken_secrets
from recollect.policy.redaction.scan import secrets_in

MIX = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6" * 2


def made(prefix: str, size: int) -> str:
    return prefix + MIX[:size]


TOKENS = [
    ("AWS key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("GitHub token", made("ghp" + "_", 36)),
    ("GitHub token", made("github" + "_pat_", 60)),
    ("GitLab token", made("glpat" + "-", 20)),
    ("Discord token", "M" + MIX[:24] + "." + MIX[:6] + "." + MIX[:27]),
    ("Slack token", "xoxb" + "-123456789012-" + MIX[:24]),
    ("Slack token", "https://hooks.slack.com/services/" + "T0A1B2C3D/B0A1B2C3D/" + MIX[:24]),
    ("Stripe key", made("sk" + "_live_", 24)),
    ("Stripe key", made("sk" + "_live_", 90)),
    ("SendGrid key", "SG." + MIX[:22] + "." + MIX[:43]),
    ("Twilio key", "AC" + MIX[:32].lower()),
    ("Telegram token", "123456789:" + MIX[:35]),
    ("PyPI token", made("pypi-" + "AgEIcHlwaS5vcmc", 75)),
    ("Mailchimp key", MIX[:32].lower() + "-us12"),
    ("Square secret", made("sq0csp" + "-", 43)),
    ("Azure key", "AccountKey=" + (MIX[:86] + "==")),
    ("API key", made("sk" + "-", 20) + "T3BlbkFJ" + MIX[:20]),
    ("API key", made("sk" + "-proj-", 60)),
    ("Anthropic key", made("sk-" + "ant-api03-", 80)),
    ("Google key", made("AI" + "za", 35)),
    ("Hugging Face token", made("hf" + "_", 34)),
    ("npm token", made("npm" + "_", 36)),
    ("Groq key", made("gsk" + "_", 50)),
    ("JSON web token", "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0." + MIX[:43]),
    ("card number", "4111 1111 1111 1111"),
    ("card number", "5500-0000-0000-0004"),
    ("card number", "378282246310005"),
]


@pytest.mark.parametrize("frame", ["{}", "here: {} thanks", "é {} ü", "use {}, ok?", '"{}"'])
@pytest.mark.parametrize(("label", "token"), TOKENS)
def test_a_secret_of_a_known_format_is_replaced(label: str, token: str, frame: str):
    found = redact(frame.format(token))
    assert found.text == frame.format(f"[redacted: {label}]")
    assert found.labels == (label,)


SPOKEN = [
    ("my password is {}", "hunter2"),
    ("My Password is: {}", "hunter2"),
    ("the password's {}", "hunter2"),
    ("my password is {}", "swordfish"),
    ("my password is {}, don't tell", "swordfish"),
    ("my password is {}.", "purple monkey dishwasher lamp"),
    ('my password is "{}"', "correct horse"),
    ("my password is now `{}`", "Tr0ub4dor&3"),
    ("my password was “{}” once", "dolphins"),
    ("the wifi password is {}", "Sommer2024"),
    ("my pw for the router is {} if you need it", "Sommer2024"),
    ("the password for the office wifi is {}", "Sommer2024"),
    ("password: {}", "hunter"),
    ("Password:{}", "hunter2"),
    ("**password**: {}", "hunter2"),
    ("user: bob pass: {}", "hunter2"),
    ("login bob, password {}", "hunter2"),
    ("is the password {}?", "hunter2"),
    ("pin is {}", "4711"),
    ("my PIN code is {}", "1234"),
    ("cvv: {}9", "123"),
    ("passcode: {}", "991122"),
    ("secret token = {}", "swordfish9"),
    ("the API key is {}", "abcd1234efgh5678"),
    ("my token is {}", "abcd1234efgh5678"),
    ("senha: {}", "abc12345"),
    ("minha senha é {}", "girassol7"),
    ("a senha do servidor é {}", "abc12345"),
    ("Mein Passwort ist {}", "hunter2"),
    ("Das Kennwort lautet {}", "Sommer77"),
    ("Passwort ist {}", "Sonnenblume"),
    ("mot de passe : {}", "soleil"),
    ("mon mot de passe est {}", "soleil42"),
    ("la contraseña es {}", "girasol7"),
    ("пароль: {}", "qwerty12"),
    ("мой пароль это {}", "qwerty12"),
    ("密码是{}", "abc12345"),
    ("パスワードは {}", "abc12345"),
    ("PASSWORD={}", "hunter2"),
    ("DB_PASSWORD={}", "letmein"),
    ("export API_KEY={}", "a8f5f167f44f4964"),
    ('api_key: "{}"', "abcd1234efgh"),
    ("api_key = '{}'", "abcdefghij"),
    ('{{"client_secret": "{}"}}', "GXyz12345abc"),
    ("Server=x;User=sa;Password={};Trusted=1", "Abc123"),
    ("postgres://bob:{}@db.local/x", "s3cr3t"),
    ("redis://:{}@localhost:6379", "s3cr3t!x"),
    ("Authorization: Bearer {}", "abcdef0123456789abcdef"),
    ("AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("api key {}", "abcdef123456"),
    ("login: bob / {}", "hunter2"),
    ("creds = root/{}", "toor99x"),
    ("seed phrase: {}", "abandon ability able about above absent absorb abstract absurd abuse access accident"),
]


@pytest.mark.parametrize(("frame", "value"), SPOKEN)
def test_a_told_secret_loses_its_value_and_nothing_else(frame: str, value: str):
    found = redact(frame.format(value))
    assert value not in found.text
    before, after = frame.format("\0").split("\0")
    assert found.text.startswith(before)
    assert found.text.endswith(after) or after == "9"
    assert found.labels
    assert not any(value in label for label in found.labels)


MENTIONS = [
    "the API key is in the vault",
    "I forgot my password",
    "my password manager is Bitwarden",
    "the password is stored in 1Password",
    "my password is in 1Password",
    "password is required",
    "password: required",
    "token limit is 4096",
    "JWT tokens with 24h expiration",
    "API uses JWT tokens with 24h expiration",
    "Stripe API key is stored in the vault",
    "senha do servidor",
    "esqueci a senha do servidor",
    "a senha está errada",
    "the pin is on the map",
    "the pin is 13",
    "GPIO pin 4 is high",
    "reset my password",
    "my password is weak.",
    'the password is "unbreakable"',
    'my password is "long and hard to remember, as it should be for all of us here"',
    "my password is too long",
    "the password is 12 characters long",
    "password must be at least 8 characters",
    "my password expired yesterday",
    "the token is valid for 24h",
    "token: 4096",
    "max_tokens=4096",
    "tokens = tokenizer.encode(text)",
    "the secret is patience",
    "the secret: be kind",
    "the secret of my success is coffee",
    "password = os.environ['X']",
    "password = db.Column(db.String(120), nullable=False)",
    "password=$DB_PASSWORD",
    "password: ********",
    "password: <your password>",
    "api_key=YOUR_API_KEY",
    "https://user:****@example.com/",
    "https://<user>:<password>@example.com/",
    "the password is the name of my dog",
    "key is C major",
    "the passport is 12 years old",
    "I passed the exam: 95 points",
    "the api key was rotated yesterday",
    "my wifi password is on the fridge",
    "Passwort ist falsch",
    "Passwort vergessen",
    "mot de passe oublié",
    "olvidé la contraseña",
    "access token is expired",
    "the private key is on my laptop",
    "-----BEGIN RSA PRIVATE KEY----- is how it starts",
    "a bearer of bad news",
    "hash the password with sha256",
    "password sha256 or bcrypt?",
    "<@123456789012345678> hi <#876543210987654321>",
    "message 1305551234567890123 and order 1234567890123456",
    "my phone is +49 170 1234567890",
    "at 1700000000000 ms",
    "see https://example.com/a/very/long/path/that/goes/on?x=1&y=abcdefghijklmnop",
    "sk-learn-contrib-is-a-package-with-hyphens",
    "APARTAMENTOS EN VALENCIA",
    "the API key rotation",
    "an access token authentication",
    "login: bob / admin",
    "login: see /usr/share/doc9",
    "AB12 CDEF GHIJ KLMN",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "パスワードを忘れました",
    "забыл пароль",
]


@pytest.mark.parametrize("text", MENTIONS)
def test_a_mere_mention_stays_as_it_is(text: str):
    assert redact(text) == Redacted(text)


HIDDEN = ["\u200b", "\u2060", "\u00ad", "\ufeff", "\u200d", "\ufe0f", "\U000e0041", "\u200b\u200c\u2060"]


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("at", [1, 4, 10])
def test_a_secret_with_signs_in_it_that_show_nothing_is_found_with_them(hidden: str, at: int):
    token = "AKIA" + "IOSFODNN7EXAMPLE"
    text = f"{hidden}so {token[:at]}{hidden}{token[at:]} it{hidden} is"
    assert redact(text).text == f"{hidden}so [redacted: AWS key] it{hidden} is"
    told = f"é my pass{hidden}word is hunter{hidden}2, ok{hidden}?"
    assert redact(told).text == f"é my pass{hidden}word is [redacted: password], ok{hidden}?"


@pytest.mark.parametrize("shift", [0xFF21 - ord("A"), 0x1D400 - ord("A")])
def test_a_secret_in_wide_or_styled_letters_is_found(shift: int):
    token = "AKIA" + "IOSFODNNEXAMPLEX"
    styled = "".join(chr(ord(char) + shift) for char in token)
    assert redact(f"see {styled}!").text == "see [redacted: AWS key]!"


@pytest.mark.parametrize(
    "text", ["👨\u200d👩\u200d👧 is my family 👍\ufe0f", "می\u200cخواهم", "ＡＢＣ！ ①②", "so\u00adft hy\u00adphen"]
)
def test_signs_that_show_nothing_stay_where_there_is_no_secret(text: str):
    assert redact(text) == Redacted(text)


@pytest.mark.parametrize("account", ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "NO9386011117947"])
def test_a_bank_account_is_known_by_its_check_digits(account: str):
    assert redact(f"IBAN {account} thanks").text == "IBAN [redacted: bank account] thanks"
    wrong = account[:-1] + str((int(account[-1]) + 1) % 10)
    assert redact(f"IBAN {wrong} thanks").text == f"IBAN {wrong} thanks"


def test_a_private_key_goes_with_all_its_lines():
    begin, end = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"
    body = "\n".join([MIX[:64]] * 5)
    mark = "[redacted: private key]"
    assert redact(f"here\n{begin}\n{body}\n{end}\nbye").text == f"here\n{mark}\nbye"
    assert redact(f"here\n{begin}\n{body}\n").text == f"here\n{mark}\n"
    assert redact(f'"{begin}\\n{MIX}\\n{end}\\n"').text == f'"{mark}\\n"'


def test_several_secrets_are_all_found_and_named_once():
    text = f"my password is hunter2 and my other password is hunter3, key {TOKENS[0][1]}"
    found = redact(text)
    assert found.text == (
        "my password is [redacted: password] and my other password is [redacted: password], key [redacted: AWS key]"
    )
    assert found.labels == ("password", "AWS key")


FRAGMENTS = [
    *(frame.format(value) for frame, value in SPOKEN),
    *(token for _, token in TOKENS),
    *MENTIONS,
    *"password is pin token = : [redacted: password] [redacted: [ ] secret 4711 hunter2 key api ' \" ` ( İ ſ K".split(),
    "login: bob / ",
    "\n",
    "\u200b",
    "\ufe0f",
    "Ａ１",
    "DE89 3704 0044 0532 0130 00",
]
texts = st.one_of(
    st.text(max_size=120),
    st.lists(st.sampled_from(FRAGMENTS), max_size=6).map(" ".join),
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=5)), max_size=8).map("".join),
)


@given(texts)
def test_redacting_twice_changes_nothing_more(text: str):
    once = redact(text).text
    assert redact(once) == Redacted(once)


@given(texts)
def test_the_quick_test_never_misses_what_the_search_would_find(text: str):
    lower = text.replace("İ", "i").lower()
    assert len(lower) == len(text)
    if not spoken_secrets.mentions(lower):
        assert list(spoken_secrets.spans(text, lower)) == []


@given(
    st.text(alphabet=st.characters(exclude_characters="0123456789"), max_size=200).filter(
        lambda text: max(map(len, text.split()), default=0) < 16
    )
)
def test_short_words_without_digits_hold_no_known_format(text: str):
    assert list(known_formats.spans(text)) == []


def test_a_mark_of_before_is_left_whole():
    text = "my password is [redacted: password], 'pin' [redacted: PIN] and key=[redacted: AWS key]"
    assert redact(text) == Redacted(text)
    assert redact("password is abc1[redacted: AWS key] ok").text == "password is [redacted: password] ok"


def steps(work: Callable[[], object]) -> int:
    """Lines of Python run: the part of the work that can be counted."""
    count = 0

    def trace(*_: object) -> object:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


HOSTILE = [
    "a", "1", " ", "sk-", "eyJ", "=eyJ", ".eyJ", "://", "://a:", "password ", "password is ", "password for a b c d ",
    "pass:", "key = ", "aws", "awskey'", "xoxb-1-", "glagent-", "-----BEGIN PRIVATE KEY-----", "[redacted: x]",
    "password='", "pin is 4711 ", "1-", "AKIA" + "A" * 16, "bearer ", "seed: abandon ", "//", "M" * 25 + ".",
    "mysql -p", "curl -u a:", "password to ", "password changed to a ", "пароль ", "authorization: basic ",
    "cookie: a=",
    "wifi:s:a;p:", "a@b.c:", "--password ", "<password>", "pin is ", "verification code ", "backup codes: ",
    "1234-5678 ", "abandon ",
    "seed phrase abandon ", "MIIEpAIBAAKC", "A" * 64 + "\n", "4111.", "123-45-6789 ", "ssn 1 ", "account number 1 2 ",
    "de89 ", "xprv", "0x" + "a" * 64 + " ", "key_", "private key ", "x as my ", "a/b1c2d is login ", "密码", "-", "=",
    ";p:", "sig=", "a-key:", "\u200b", "Ａ", "AKIA\u200b", "login: a / ", "api key ", "DE89 3704 ",
    "DE89" + "3704" * 7, "creds:a/", "the gate code is ", "log in with abc1 ", "code door 12 ", "a1 / ", "type in 12 ",
    "answer to the security question ", "opens with 12 ", "ssh Abcdef12! ", "pin (",
]  # fmt: skip


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_repetition_costs_in_proportion_to_its_length(unit: str):
    redact(unit)
    short, long = (steps(lambda size=size: redact((unit * size)[:size])) for size in (1_000, 10_000))
    assert long <= 12 * short + 200
    text = (unit * 10_000)[:10_000]
    assert sum(span.end - span.start for span in known_formats.spans(text)) <= 4 * len(
        text
    )  # no span inside of another
    redact((unit * 100_000)[:100_000])  # hours, were a pattern to go wrong; the timeout would tell


@pytest.mark.timeout(60)
@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(HOSTILE + [frame.format("") for frame, _ in SPOKEN]), min_size=2, max_size=4))
def test_hostile_mixtures_take_no_longer(units: list[str]):
    redact(("".join(units) * 20_000)[:20_000])


def test_importing_does_not_load_the_library():
    program = "import sys, recollect.policy.redaction; print('detect_secrets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("recovery codes: KQWR-TYUI, kqwe-rtyu, 5e6f-7g8h", 3),
        ("recovery codes: 1a2b-3c4d, kqwe-rtyuio", 2),
        ("recovery codes: 1a2b-3c4d, kqw-rtyu", 1),
        ("recovery codes: 1a2b-3c4d, kqwertz-rtyu", 1),
        ("recovery codes: kqwe-rtyu, 1a2b-3c4d", 0),
        ("recovery codes: 2026-11-18, 2b2b-3c3c", 0),
        ("recovery codes: 18-11-2026, 2b2b-3c3c", 0),
    ],
)
def test_recovery_codes_are_listed_up_to_the_first_that_may_be_a_word_or_a_date(text: str, count: int):
    assert redact(text).text.count("[redacted: recovery code]") == count


@pytest.mark.parametrize(
    ("text", "is_secret"),
    [
        ("cvv 12", False),
        ("cvv 123", True),
        ("my pin is 123", False),
        ("my pin is 1234", True),
        ("my pin is 12345678", True),
        ("my pin is 123456789", False),
        ("pin 1234 of the chip", False),
        ("PIN 1234 of the chip", True),
        ("my sim pin 1234", True),
    ],
)
def test_a_code_has_as_many_digits_as_codes_have_and_is_named_as_one(text: str, is_secret: bool):
    assert (redact(text).text != text) == is_secret


def test_a_text_without_secrets_has_none_and_overlapping_ones_are_one():
    assert secrets_in("I like tea") == secrets_in("") == []
    (span,) = secrets_in("password: https://ann:hunter2@a.example/x")
    assert span.start < span.end


@pytest.mark.parametrize(
    "text",
    [
        "the visa is {4917 6100 2288 0419}, good thru {07/28}, {663} on the back",
        "my passport, the new one: {L8830172}",
        "license for the sewing software: {SWG99-11823-KKL}",
        "our key for the weather API, {b41f09c2d77e4a58}, runs out in May",
    ],
)
def test_a_number_of_a_card_a_document_or_a_licence_is_known_by_its_name(text: str):
    assert_hidden(text)


@pytest.mark.parametrize(
    "text",
    [
        "the scooter's {3141} like pi",
        "side entrance, the shed and the keypad, {7*3*1}",
        "das Fahrradschloss hat die {5206}",
        "la puerta del trastero pasa a {4471}",
        "walizka na {505}",
        "倉庫の南京錠を{2-7-7}に替えました",
        "the gate {4410}, the cabin {2026}, the hot tub cover {918}",
        "netflix {lewy9gola}",
        "the intranet, you get in with {Quokka.Smile}",
    ],
)
def test_what_opens_a_thing_or_an_account_is_hidden_in_any_sentence(text: str):
    assert_hidden(text)


@pytest.mark.parametrize(
    "text",
    [
        "the door opens at 0700, the gate closes at 1840",
        "the printer is an HP LaserJet 1020",
        "2300 for a laptop",
        "that iPad is worth 600 to 800",
        "rhodry_2409: the computer is up again",
        "our embedder is all-minilm-l6-v2 on the server",
        "erase slack~1 on the server, then durable-8a9c190d",
    ],
)
def test_a_time_a_price_a_model_and_a_name_beside_what_is_opened_are_no_secrets(text: str):
    assert redact(text) == Redacted(text)


@pytest.mark.parametrize(
    "text",
    [
        "the camera: admin / {chupete}",
        "it was {pepito88} before, now it's {Pepito-1988-x}",
    ],
)
def test_the_secret_of_a_pair_is_hidden(text: str):
    assert_hidden(text)


@pytest.mark.parametrize(
    "text",
    [
        "{three eight two} opens the briefcase",
        'the encrypted note opens with "{mother was a comet}"',
        "the security question was my first pet, I put {Mister Biscuits}.",
        "it's not {Minou}, it's {minou} in lower case",
        "gate code 4711A, wifi {oceanbleu}",
    ],
)
def test_a_secret_in_words_is_hidden(text: str):
    assert_hidden(text)


def assert_hidden(text: str) -> None:
    values = re.findall(r"\{(.*?)\}", text)
    stored = redact(re.sub(r"[{}]", "", text)).text
    assert not [value for value in values if value in stored], stored


def test_of_endless_tags_only_the_first_are_read():
    read: list[str] = []

    def tags() -> Iterator[str]:
        for number in range(100_000):
            read.append(f"{number} " + "x" * 10)
            yield read[-1]

    assert len(redact_tags(tags())) == 50
    assert len(read) < 1000
