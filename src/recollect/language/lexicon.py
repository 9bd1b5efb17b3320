"""Words that distinguish a durable statement from chatter: tools, trades, kin, pets, conditions, places."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TOOLS = _words(
    "python rust go golang java kotlin swift typescript javascript js ts c c++ c# haskell elixir erlang ocaml scala "
    "ruby perl php lua zig nim julia r sql bash zsh fish nushell powershell linux ubuntu debian fedora arch nixos nix "
    "gentoo mint windows macos mac ios android vim neovim nvim emacs helix vscode code zed sublime jetbrains pycharm "
    "intellij webstorm xcode notepad++ git github gitlab bitbucket jujutsu docker podman kubernetes k8s k3s helm "
    "terraform opentofu pulumi ansible nomad postgres postgresql mysql mariadb sqlite mongodb mongo redis valkey kafka "
    "rabbitmq nats clickhouse duckdb elasticsearch snowflake bigquery dbt airflow spark pandas polars numpy pytorch "
    "tensorflow jax react vue svelte angular solid htmx django flask fastapi rails laravel spring express node nodejs "
    "node.js deno bun npm pnpm yarn poetry uv pip ruff black mypy pyright pytest jest vite webpack aws gcp azure "
    "cloudflare hetzner vercel heroku netlify fly.io grafana prometheus datadog sentry jenkins circleci notion "
    "obsidian "
    "logseq evernote onenote todoist trello jira linear asana slack discord teams zoom telegram signal whatsapp figma "
    "sketch blender photoshop lightroom gimp krita procreate inkscape ableton reaper unity unreal godot excel sheets "
    "latex typst anki firefox chrome brave safari arc vivaldi tmux zellij kitty alacritty wezterm ghostty iterm iterm2 "
    "i3 sway hyprland gnome kde xfce 1password bitwarden keepass proton protonmail gmail fastmail spotify plex "
    "jellyfin "
    "ollama copilot cursor claude chatgpt dvorak colemak qwerty"
)
LANGUAGES = _words(
    "english german french spanish portuguese italian dutch swedish norwegian danish finnish icelandic polish czech "
    "slovak hungarian romanian bulgarian greek turkish russian ukrainian serbian croatian arabic hebrew persian farsi "
    "hindi urdu bengali tamil telugu punjabi thai vietnamese korean japanese mandarin cantonese chinese indonesian "
    "malay tagalog swahili amharic yoruba welsh irish gaelic catalan basque estonian latvian lithuanian latin esperanto"
)
PLACES = _words(
    "berlin munich hamburg cologne frankfurt vienna zurich geneva basel paris lyon marseille london manchester leeds "
    "bristol edinburgh glasgow dublin cork amsterdam rotterdam utrecht brussels antwerp madrid barcelona valencia "
    "seville lisbon porto rome milan naples turin florence bologna athens istanbul ankara warsaw krakow prague brno "
    "budapest bucharest sofia belgrade zagreb oslo bergen stockholm gothenburg copenhagen aarhus helsinki tampere "
    "tallinn riga vilnius kyiv lviv moscow tokyo osaka kyoto seoul busan beijing shanghai taipei singapore bangkok "
    "hanoi "
    "jakarta manila mumbai delhi bangalore chennai sydney melbourne brisbane perth auckland wellington toronto "
    "montreal "
    "vancouver ottawa calgary chicago boston seattle portland denver austin dallas houston miami atlanta philadelphia "
    "detroit oakland brooklyn germany france spain portugal italy austria switzerland netherlands belgium denmark "
    "sweden norway finland iceland ireland scotland wales england poland czechia hungary romania bulgaria greece "
    "turkey "
    "ukraine russia japan korea china taiwan india thailand vietnam indonesia australia canada mexico brazil argentina "
    "chile colombia peru kenya nigeria ghana egypt morocco israel texas california florida oregon europe cairo nairobi "
    "lagos accra bogota lima santiago"
)

_TRADES = (
    "nurse|doctor|medic|paramedic|surgeon|vet|dentist|pharmacist|therapist|psychologist|midwife|teacher|tutor|"
    "professor|"
    "lecturer|librarian|student|undergrad|postdoc|researcher|scientist|physicist|chemist|biologist|mathematician|"
    "economist|historian|linguist|engineer|developer|dev|programmer|coder|sysadmin|sre|devops|admin|designer|"
    "architect|"
    "analyst|consultant|accountant|auditor|lawyer|attorney|paralegal|judge|translator|interpreter|writer|author|"
    "editor|"
    "journalist|reporter|photographer|videographer|filmmaker|musician|composer|drummer|guitarist|pianist|violinist|"
    "singer|dj|artist|illustrator|animator|painter|sculptor|actor|dancer|chef|cook|baker|barista|bartender|waiter|"
    "waitress|farmer|gardener|florist|carpenter|electrician|plumber|mechanic|welder|machinist|builder|technician|"
    "driver|pilot|sailor|firefighter|soldier|veteran|cop|policeman|detective|salesperson|recruiter|manager|director|"
    "founder|cofounder|co-founder|ceo|cto|cfo|freelancer|contractor|intern|apprentice|trainee|barber|hairdresser|"
    "tailor|cashier|clerk|receptionist|secretary|geologist|astronomer|meteorologist|statistician|actuary|broker|"
    "trader|"
    "realtor|pastor|priest|monk|coach|trainer|referee|streamer|youtuber|podcaster|tester|maintainer|data scientist"
)
TRADE = re.compile(rf"^(?:[\w&+#./'-]+ ){{0,4}}?(?:{_TRADES})\b", re.IGNORECASE)
"""A trade with what describes it: "senior backend engineer at Acme"."""
NO_TRADE = re.compile(r"\b(?:good|bad|great|terrible|real|such|total|slow|fast|lazy|big|horrible|better|worse)\b", re.I)

KIN = (
    "wife|husband|spouse|partner|fiancée?|fiance|girlfriend|boyfriend|gf|bf|son|daughter|kid|child|baby|mother|"
    "father|"
    "mom|mum|dad|parents|kids|sister|brother|sibling|twin|grandma|grandpa|grandmother|grandfather|aunt|uncle|cousin|"
    "niece|nephew|boss|manager|friend|best friend|colleague|coworker|co-worker|roommate|flatmate|housemate|neighbour|"
    "neighbor|teacher|supervisor|mentor|stepdad|stepmom|stepson|stepdaughter|brother-in-law|sister-in-law|"
    "mother-in-law|father-in-law|landlord|team lead|tech lead|ex"
)
PETS = (
    "cat|dog|puppy|kitten|hamster|rabbit|bunny|parrot|budgie|horse|pony|tortoise|turtle|snake|gecko|lizard|ferret|"
    "guinea pig|goldfish|axolotl|chicken|corgi|beagle|labrador|lab|poodle|husky|greyhound|dachshund|border collie|"
    "golden retriever"
)
OWNED = (
    rf"{PETS}|kid|child|children|toddler|newborn|son|daughter|brother|sister|sibling|twin|pet|car|motorcycle|"
    rf"motorbike|bike|house|"
    "flat|apartment|cottage|farm|garden|allotment|boat|van|campervan|degree|phd|master's|masters|bachelor's|adhd|"
    "asthma|"
    "diabetes|dyslexia|arthritis|migraines|epilepsy|tinnitus|homelab|home lab|blog|newsletter|podcast|"
    "youtube channel|company|business|bakery|shop|startup|3d printer|telescope|piano|guitar|cello|violin|"
    "raspberry pi|"
    "chickens|bees|beehives|goats|sheep|fish|mice|lizards|wolves"
)
DIET = (
    r"vegan|vegetarian|pescatarian|gluten[- ]free|lactose[- ]intolerant|coeliac|celiac|diabetic|teetotal|kosher|halal"
)
CONDITION = (
    r"married|engaged|divorced|widowed|retired|unemployed|self-employed|left-handed|left handed|colou?r ?blind|"
    r"dyslexic|"
    r"autistic|bilingual|trilingual|deaf|hard of hearing|short-sighted|pregnant|semi-retired"
)
EVENTS = (
    "meeting|appointment|flight|exam|interview|test|deadline|trip|wedding|party|concert|surgery|operation|call|"
    "presentation|marathon|race|game|match|class|defen[cs]e|talk|demo|review|conference|shift|gig|recital|workshop|"
    "hearing|checkup|check-up|scan|move|vacation|holiday|webinar|hackathon|audition|finals?|midterms?|viva|reunion|"
    "graduation|performance review|tournament|date"
)
