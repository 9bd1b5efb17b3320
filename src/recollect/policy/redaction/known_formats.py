"""Secrets with a recognizable format: keys and tokens of known vendors, private keys, passwords in URLs, cards.

Vendor formats are searched only in long runs of visible ASCII characters, which are rare in conversation. Every pattern
is bounded or starts at most once per position, so that matching takes linear time.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from recollect.policy.redaction.span import Span

_RUN = re.compile(r"[!-~]{16,}")
_TAIL = re.compile(r"[\w-]*", re.ASCII)
_JWT_TAIL = re.compile(r"[\w.+/=-]*", re.ASCII)
_MIN_VALUE_CHARS = 12
"""A shorter group of a pattern is the prefix of a token, not its value."""

_PREFIXES = {
    "sk-ant-": "Anthropic key",
    "sk-": "API key",
    "AIza": "Google key",
    "ya29.": "Google token",
    "GOCSPX-": "Google secret",
    "hf_": "Hugging Face token",
    "github_pat_": "GitHub token",
    "xoxa-": "Slack token",
    "xoxb-": "Slack token",
    "xoxe-": "Slack token",
    "xoxe.": "Slack token",
    "xoxo-": "Slack token",
    "xoxp-": "Slack token",
    "xoxr-": "Slack token",
    "xoxs-": "Slack token",
    "xapp-": "Slack token",
    "npm_": "npm token",
    "gsk_": "Groq key",
    "xai-": "xAI key",
    "pplx-": "Perplexity key",
    "r8_": "Replicate token",
    "sk_test_": "Stripe key",
    "rk_test_": "Stripe key",
    "sk_live_": "Stripe key",
    "rk_live_": "Stripe key",
    "whsec_": "webhook secret",
    "AKC": "Artifactory key",
    "dop_v1_": "DigitalOcean token",
    "shpat_": "Shopify token",
    "lin_api_": "Linear key",
    "ntn_": "Notion token",
    "glpat-": "GitLab token",
    "tskey-": "Tailscale key",
    "hvs.": "Vault token",
    "dckr_pat_": "Docker token",
    "AGE-SECRET-KEY-": "private key",
}
_LONGEST_FIRST = sorted(_PREFIXES, key=len, reverse=True)
_PREFIXED = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, _LONGEST_FIRST))})([\w-]{{16,}})", re.ASCII)
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,8000}\.[A-Za-z0-9_-]{4,8000}(?:\.|(?![\w.-]))", re.ASCII)
_WEBHOOK = re.compile(r"discord(?:app)?\.com/api/webhooks/\d{5,25}/([\w-]{20,100})", re.ASCII)
_SAS = re.compile(r"[?&]sig=([\w%+/=-]{20,200})", re.ASCII)

_BEARER = re.compile(r"\b(?:[Bb]earer|BEARER)\s{1,3}([A-Za-z0-9._~+/-]{16,2000}={0,2})")
_ADDRESS = re.compile(r"(?<=://)[^\s/:@]{0,64}:([^\s/@]{1,100})@")
# The first digit precedes its lookbehind, so that the search skips everything that can't begin a card number.
_CARD = re.compile(r"[0-9](?<![\w@#&<:/.=-][0-9])(?:[ -]?[0-9]){13,15}(?![\w/@>-])")
_CARD_MAKERS = re.compile(
    r"4\d{15}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3[068]\d{12}|35\d{14}|6(?:011|5\d\d|2\d\d)\d{12}"
)
_IBAN = re.compile(r"[A-Z](?<!\w[A-Z])[A-Z][0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_IBAN_SIZES = {
    country: int(size)
    for size, countries in (
        pair.split(":")
        for pair in (
            "15:NO 16:BE 18:DK,FI,NL 19:SI 20:AT,EE,LT,LU 21:CH,HR,LI,LV 22:BG,DE,GB,IE 23:AE,IL 24:CZ,ES,RO,SE,SK "
            "25:PT 26:IS,TR 27:FR,GR,IT 28:CY,HU,PL 29:BR,UA"
        ).split()
    )
    for country in countries.split(",")
}
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[23]:")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|^Private-MAC: ?\w+", re.MULTILINE)
_PEM_BODY = re.compile(r"(?:(?:\s|\\n){1,4}[A-Za-z0-9+/=]{16,})*")


def spans(text: str) -> Iterator[Span]:
    """The secrets of a known format."""
    for run in _RUN.finditer(text):
        yield from _vendor_tokens(run[0], run.start())
    if "earer" in text or "BEARER" in text:
        yield from _bearers(text)
    for card in _CARD.finditer(text):
        if _is_card(re.sub("[ -]", "", card[0])):
            yield Span(*card.span(), "card number")
    for account in _IBAN.finditer(text):
        yield from _bank_account(account)
    if "://" in text and "@" in text:
        yield from _url_passwords(text)
    if "PRIVATE KEY" in text or "PuTTY" in text:
        yield from _private_keys(text)


def _bearers(text: str) -> Iterator[Span]:
    for bearer in _BEARER.finditer(text):
        if _is_random(bearer[1]):
            yield Span(*bearer.span(1), "bearer token")


def _vendor_tokens(run: str, offset: int) -> Iterator[Span]:
    for label, pattern in vendor_formats():
        yield from _matches(pattern, run, offset, label)
    for match in _PREFIXED.finditer(run):
        if _is_random(match[2]):
            yield Span(offset + match.start(), offset + match.end(), _PREFIXES[match[1]])
    if "eyJ" in run:
        yield from _matches(_JWT, run, offset, "JSON web token", _JWT_TAIL)
    yield from _matches(_WEBHOOK, run, offset, "webhook secret")
    yield from _matches(_SAS, run, offset, "signature")


def _matches(
    pattern: re.Pattern[str], run: str, offset: int, label: str, tail: re.Pattern[str] = _TAIL
) -> Iterator[Span]:
    """Each match with the remainder of its token, since a pattern may match only the shortest form."""
    covered = 0
    for match in pattern.finditer(run):
        if match.start() < covered:
            continue
        group = 1 if pattern.groups and len(match[1] or "") >= _MIN_VALUE_CHARS else 0
        remainder = tail.match(run, match.end(group))
        covered = remainder.end() if remainder else match.end(group)
        yield Span(offset + match.start(group), offset + covered, label)


@lru_cache(maxsize=1)
def vendor_formats() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Formats of detect-secrets, except for those with many false positives, those that take more than linear time on
    hostile text (ours replace them), and those that `spoken_secrets` covers.
    """
    from detect_secrets.plugins import (
        aws,
        azure_storage_key,
        discord,
        github_token,
        gitlab_token,
        mailchimp,
        pypi_token,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        telegram_token,
        twilio,
    )

    detectors = (
        ("AWS key", aws.AWSKeyDetector),
        ("Azure key", azure_storage_key.AzureStorageKeyDetector),
        ("Discord token", discord.DiscordBotTokenDetector),
        ("GitHub token", github_token.GitHubTokenDetector),
        ("GitLab token", gitlab_token.GitLabTokenDetector),
        ("Mailchimp key", mailchimp.MailchimpDetector),
        ("PyPI token", pypi_token.PypiTokenDetector),
        ("SendGrid key", sendgrid.SendGridDetector),
        ("Slack token", slack.SlackDetector),
        ("Square secret", square_oauth.SquareOAuthDetector),
        ("Stripe key", stripe.StripeDetector),
        ("Telegram token", telegram_token.TelegramBotTokenDetector),
        ("Twilio key", twilio.TwilioKeyDetector),
    )
    return tuple((label, pattern) for label, detector in detectors for pattern in vars(detector)["denylist"])


def _is_random(value: str) -> bool:
    """Whether a value mixes letters and digits, or upper and lower case, unlike hyphenated words."""
    has_digit = any(map(str.isdigit, value))
    has_lower = any(map(str.islower, value))
    has_upper = any(map(str.isupper, value))
    return has_digit + has_lower + has_upper >= 2 and (has_digit or len(value) > 24)


def _is_card(digits: str) -> bool:
    if not _CARD_MAKERS.fullmatch(digits):
        return False
    doubled = (int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _bank_account(match: re.Match[str]) -> Iterator[Span]:
    """An IBAN with the length of its country and valid check digits; words may follow it."""
    size = _IBAN_SIZES.get(match[0][:2])
    positions = [index for index, char in enumerate(match[0]) if char != " "]
    if size is None or len(positions) < size:
        return
    end = positions[size - 1] + 1
    if end < len(match[0]) and match[0][end] != " ":
        return
    iban = match[0][:end].replace(" ", "")
    if int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1:
        yield Span(match.start(), match.start() + end, "bank account")


def _url_passwords(text: str) -> Iterator[Span]:
    for address in _ADDRESS.finditer(text):
        if not re.fullmatch(r"[*x.]+|[<{$%\[].*", address[1]):
            yield Span(*address.span(1), "password")


def _private_keys(text: str) -> Iterator[Span]:
    """From each header to the next footer; without a footer, over the lines that look like a key."""
    ends = [end.end() for end in _PEM_END.finditer(text)]
    covered = 0
    for begin in _PEM.finditer(text):
        if begin.start() < covered:
            continue
        while ends and ends[0] <= begin.end():
            ends.pop(0)
        body = _PEM_BODY.match(text, begin.end())
        covered = ends[0] if ends else body.end() if body else begin.end()
        if covered > begin.end():
            yield Span(begin.start(), covered, "private key")
