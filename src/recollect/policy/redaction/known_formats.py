"""Keys and tokens of known vendors, by their format.

Vendor formats are searched only in long runs of visible ASCII characters, which are rare in conversation. Every pattern
is bounded or starts at most once per position, so that matching takes linear time.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.span import Span

LONG_RUN = lazy_pattern(r"[!-~]{16,}")
_TAIL = lazy_pattern(r"[\w-]*", re.ASCII)
_JWT_TAIL = lazy_pattern(r"[\w.+/=-]*", re.ASCII)
_MIN_TOKEN_CHARS = 16
"""What is shorter behind a prefix needs a digit, a small and a capital letter: "sk-learn-2024" has not."""
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
    "rcl_": "recollect token",
    "ghp_": "GitHub token",
    "gho_": "GitHub token",
    "AKIA": "AWS key",
    "ASIA": "AWS key",
}
_SHORT_PREFIXES = {
    prefix: label
    for label, prefixes in {
        "GitLab token": "gldt- glrt- glptt- glft- glsoat- glimt- glcbt- gloas- GR1348941",
        "Discord token": "mfa.",
        "Google token": "1//0",
        "RubyGems key": "rubygems_",
        "Square token": "sq0atp- EAAA",
        "Facebook token": "EAAC EAAG EAAB",
        "Instagram token": "IGQV",
        "Mailgun key": "key-",
        "Shopify secret": "shpss_",
        "Shopify token": "shpca_ shppa_",
        "secret": "secret_",
        "Figma token": "figd_ figo_",
        "Postman key": "PMAK-",
        "New Relic key": "NRAK- NRJS- NRII-",
        "Databricks token": "dapi",
        "Vault token": "hvb. hvr.",
        "Pulumi token": "pul-",
        "Contentful token": "CFPAT-",
        "Supabase token": "sbp_ sbs_",
        "Supabase key": "sb_secret_",
        "Grafana token": "glsa_ glc_",
        "Brevo key": "xkeysib- xsmtpsib-",
        "Atlassian token": "ATATT3 ATCTT3",
        "Bitbucket token": "ATBB",
        "NVIDIA key": "nvapi-",
        "Typeform token": "tfp_",
        "Fly token": "fo1_ fm1_ fm2_",
        "Vercel token": "vercel_blob_rw_",
        "Sentry token": "sntrys_ sntryu_",
        "DigitalOcean token": "doo_v1_ dor_v1_",
        "crates.io token": "cio_ cio",
        "PASETO": "v2.local. v2.public. v4.local. v4.public. v3.local.",
        "NuGet key": "oy2",
        "Alibaba key": "LTAI",
        "Tencent key": "AKID",
        "1Password token": "ops_eyJ",
        "Render key": "rnd_",
        "RunPod key": "rpa_",
        "Tavily key": "tvly-",
        "LangSmith key": "lsv2_",
        "Mapbox token": "pk.eyJ sk.eyJ",
        "PostHog key": "phx_",
        "Yandex key": "AQVN",
        "Yandex token": "t1. y0_",
        "Cloudflare key": "v1.0-",
        "Cloudflare token": "cfut_",
        "Fireworks key": "fw_",
        "Jina key": "jina_",
        "Voyage key": "pa-",
        "Cerebras key": "csk-",
        "E2B key": "e2b_",
        "Sourcegraph token": "sgp_",
        "Dynatrace token": "dt0c01.",
        "PlanetScale token": "pscale_",
        "Duffel token": "duffel_",
        "EasyPost key": "EZAK EZTK",
        "Shippo token": "shippo_",
        "Flutterwave key": "FLWSECK",
        "ReadMe token": "rdme_",
        "Docker token": "SWMTKN- dckr_oat_",
        "Buildkite token": "bkua_",
        "CircleCI token": "CCIPAT_ CCIPRJ_",
        "Apify token": "apify_api_",
        "Zuplo key": "zpka_",
        "Slack token": "xoxc- xoxd-",
        "WakaTime key": "waka_",
        "Dropbox token": "sl.",
        "AWS key": "ABSK",
        "Hugging Face token": "api_org_",
        "Netlify token": "nfp_",
        "Razorpay key": "rzp_live_",
        "PayPal token": "access_token$production$",
        "Resend key": "re_",
        "Riot key": "RGAPI-",
        "Browserbase key": "bb_live_",
        "Firecrawl key": "fc-",
        "token": "pat_",
        "session": "sess-",
        "W&B key": "wandb_v1_",
        "Cal key": "cal_live_",
        "Artifactory token": "cmVmd",
        "Grafana key": "eyJrIjoi",
    }.items()
    for prefix in prefixes.split()
}
"""Prefixes that also begin ordinary names: what follows has to look like nothing but a key."""


def _prefixed(prefixes: Collection[str], value: str) -> re.Pattern[str]:
    longest_first = sorted(prefixes, key=len, reverse=True)
    return lazy_pattern(rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, longest_first))})({value})", re.ASCII)


_PREFIXED = _prefixed(_PREFIXES, r"[\w-]{12,}")
_SHORT_PREFIXED = _prefixed(_SHORT_PREFIXES, r"[\w.+/=-]{16,}")
_DENSE = lazy_pattern(
    r"[0-9a-f]{32,}|[0-9A-Z]{24,}|[0-9a-z]{40,}"
    r"|(?=(?:[a-z]*\d){4})(?=(?:\d*[a-z]){8})[0-9a-z]{32,}"
    r"|(?=[A-Za-z0-9]{0,30}[0-9])(?=[A-Za-z0-9]{0,30}[A-Z])(?=[A-Za-z0-9]{0,30}[a-z])[A-Za-z0-9]{17,}"
)
# What no table names: a short word, then so many random characters of all kinds as only a key has.
_UNKNOWN = lazy_pattern(
    r"(?<![A-Za-z0-9/_.%=-])[a-z][a-z0-9]{1,12}(?:[_-][a-z0-9]{1,8}){0,2}[_-]([A-Za-z0-9]{30,})(?![\w/.-])"
)
_MIDDLE = lazy_pattern(r"(?<![\w.])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}|(?<!\w)pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}")
_CRYPT = lazy_pattern(r"\$(?:1|2[abxy]|5|6|7|y|apr1|argon2(?:id|i|d)|pbkdf2[\w-]*)\$[\w./$=,+-]{20,200}")
_VAULT = lazy_pattern(r"(?<![\w.])s\.[A-Za-z0-9]{24}(?![\w.])")
_JWT = lazy_pattern(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,8000}\.[A-Za-z0-9_-]{4,8000}(?:\.|(?![\w.-]))", re.ASCII)
_WEBHOOK = lazy_pattern(r"discord(?:app)?\.com/api/webhooks/\d{5,25}/([\w-]{20,100})", re.ASCII)
_HOOK_ADDRESS = lazy_pattern(r"://[\w.-]{0,60}/?[^\s?#]{0,200}?hooks?\b", re.IGNORECASE | re.ASCII)
_SHORT_PART = lazy_pattern(
    r"(?:/with/key/|/api/key/"
    r"|://hooks\.[\w.-]{1,60}/(?:[\w-]{1,40}/){1,4}?)((?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{6,80})(?![\w.-])",
    re.ASCII,
)
_PATH_PART = lazy_pattern(r"/((?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,120})(?![\w.-])", re.ASCII)
"""Who knows the address of a webhook may post: its random parts are the key, whoever runs it."""
_SAS = lazy_pattern(r"[?&]sig=([\w%+/=-]{20,200})", re.ASCII)

_BEARER = lazy_pattern(r"\b(?:[Bb]earer|BEARER)\s{1,3}([A-Za-z0-9._~+/-]{16,2000}={0,2})")


def spans(text: str) -> Iterator[Span]:
    """The secrets of a known format."""
    for run in LONG_RUN.finditer(text):
        yield from _vendor_tokens(run[0], run.start())
    if "earer" in text or "BEARER" in text:
        yield from _bearers(text)


def _bearers(text: str) -> Iterator[Span]:
    for bearer in _BEARER.finditer(text):
        if _is_random(bearer[1]):
            yield Span(*bearer.span(1), "bearer token")


def _vendor_tokens(run: str, offset: int) -> Iterator[Span]:
    for label, pattern in vendor_formats():
        yield from _matches(pattern, run, offset, label)
    for match in _PREFIXED.finditer(run):
        if _is_random(match[2]) and (len(match[2]) >= _MIN_TOKEN_CHARS or _has_all_kinds(match[0])):
            yield Span(offset + match.start(), offset + match.end(), _PREFIXES[match[1]])
    for match in _SHORT_PREFIXED.finditer(run):
        if _DENSE.search(match[2]):
            yield Span(offset + match.start(), offset + match.end(), _SHORT_PREFIXES[match[1]])
    if "eyJ" in run:
        yield from _matches(_JWT, run, offset, "JSON web token", _JWT_TAIL)
    for match in _UNKNOWN.finditer(run):
        if (
            sum(map(str.isdigit, match[1])) > 1
            and re.search("[A-Z].*[A-Z]", match[1])
            and re.search("[a-z].*[a-z]", match[1])
        ):
            yield Span(offset + match.start(), offset + match.end(), "token")
    yield from _matches(_MIDDLE, run, offset, "token")
    yield from (span for span in _matches(_VAULT, run, offset, "Vault token") if _is_random(run[2:]))
    if "$" in run:
        yield from (
            Span(offset + match.start(), offset + match.end(), "password hash") for match in _CRYPT.finditer(run)
        )
    yield from _matches(_WEBHOOK, run, offset, "webhook secret")
    if "hook" in run and (address := _HOOK_ADDRESS.search(run)):
        parts = _PATH_PART.finditer(run, address.end())
        yield from (Span(offset + part.start(1), offset + part.end(1), "webhook secret") for part in parts)
    if "/key/" in run or "hooks." in run:
        yield from _matches(_SHORT_PART, run, offset, "webhook secret")
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


def _has_all_kinds(value: str) -> bool:
    return all(any(map(kind, value)) for kind in (str.isdigit, str.islower, str.isupper))
