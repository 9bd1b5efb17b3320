"""The words for what is locked, what has an account, and who enters something, in nine languages."""

from collections.abc import Iterator
from typing import NamedTuple

from recollect.core.lazy import lazy_pattern


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LOCKS = _set(
    """
    pool sauna chalet cottage attic cellar basement clubhouse stairwell courtyard carport trailer caravan marina
    bikeshed mailroom safebox strongbox cashbox footlocker hasp deadbolt doorbell tablet's ebike moped copier
    keysafe's wardrobe kiosk studio clubroom darkroom toolshed greenhouse lodge's hatch portcullis annex wallbox
    gartenhaus gartentür hoftor gartentor kellertür haustür wohnungstür tiefgarage parkhaus garagentor einfahrt
    hintertür nebeneingang bude hütte vereinsheim umkleide fitnessstudio schließfächer schlüsselbox schlüsseltresor
    schlüsselsafe bremse roller wohnwagen wohnmobil zähler kindersicherung code-schloss briefkastens tastenfeld
    bedienfeld klingel portillons grille barrière parking sous-sol grenier remise abri dépendance antivol cadenas'
    boîte-à-clés boîtes clavier ascenseur tiroir caissette alarmes tablette vestiaires piscine verrouillage cerrojo
    persiana barrera piscina vestuario buzón cajón caseta chalé bodega cobertizo trasteros patín bicicleta candados
    alarmas teclado ascensores valla cancela apartamento cofres porteiro academia chácara sítio depósito vestiário
    guarita interfones gaveta maleta bloqueado desbloqueio casinha garagens portineria palestra spogliatoi magazzino
    soffitta rimessa cancelletto portoncino saracinesca bicicletta valigetta armadio cassetto allarmi ascensore
    tastierina portachiavi szatnia siłownia basen schowek kłódce rower roweru rowerowy walizce szafka skrzynka
    alarmu wejściowe garażowa altana komórka przyczepa kasetce windzie bramy furtce bramce szlabanu drzwiom sejfie
    spor salonu yazlık havuz depo depoda sandık bavulum valizim çanta kilitli kapının kapıda girişi bahçe bisikletin
    asansörde kasanın dolabın kutu panel site otoparkın garajın alarmın gym blik telekod hotelsafe kodu wps radio
    kasetki hall schließfach lager packstation treppenhaus haus gebäude zahlenschloss alarmanlage fahrradschloss
    keyless skrytki bankomat vault's bodrumun maquininha disarm unscharf scharf digicode cb bleue sms texted card
    cards tarjeta tarjetas carte karte karta kart kartı fuerte voicemail fahrkartenautomat prompted lock locks
    padlock padlocks safe vault locker lockers lockbox keybox keysafe keypad keypads keycode gate gates door doors
    garage shed barn cabin lodge boathouse toolbox briefcase suitcase suitcases luggage intercom entrance barrier
    turnstile shutters shutter elevator lift alarm alarms siren override combination combo dial scooter bike bicycle
    till immobilizer immobiliser drawer mailbox trunk chest cupboard parental sim screen screentime ipad tablet
    tablets phone phones iphone smartphone handset laptop chromebook kindle pixel telephone bluetooth pairing
    printer printers unlock unlocks unlocked unlocking opens opened lets mower schloss tresor spind tor tür türe
    pforte schranke heizraum keller koffer briefkasten paketkasten kasse handy sperrmuster drucker aufzug schuppen
    entschärfen entsperren entsperrt öffnet portail portillon porte coffre cadenas serrure boîtier boîte immeuble
    vestiaire casier armoire valise volet alarme sirène interphone téléphone portable imprimante télé verrou vélo
    trottinette labo entrée ouvre verrouillé déverrouille débloque guichet cave autoradio bâtiment molettes candado
    cerradura caja cajita taquilla trastero portal portón portero porterillo telefonillo verja cochera garaje alarma
    sirena impresora móvil patinete gatera bici armario puerta puertas mando abre abres abren desactivar desbloquear
    desbloqueo edificio ascensor almacén nevera cadeado cofre fechadura portão porta portaria mala cacifo armário
    elevador celular telemóvel trinco garagem galpão catraca impressora cartão interfone prédio bloqueio destrava
    destravar abrir estúdio quinta parear controle tranca trava chaves lucchetto serratura cassaforte cassetta
    cancello portone armadietto spogliatoio valigia tastierino tastiera citofono videocitofono allarme cantina
    capannone stampante stampare telefono cellulare motorino sbarra apre apri aprono sblocca disinserire box
    bancomat kłódka kłódki kłódkę zapięcie sejf sejfik kasetka walizka walizkę szafki brama bramka bramki furtka
    szlaban domofon drzwi garaż syrena telefon drukarka panelu klatka winda skobel hulajnoga hulajnogę paczkomat
    wejście magazyn magazynie otwiera otworzysz odblokujesz odblokować wpuszcza skrytka piwnica kilit kilidi kilidin
    kasa kasası kapı kapısı bavul valiz dolap dolabı dolabını dolabının kepenk kepengi otopark garaj alarmı apartman
    bina asansör turnike turnikesinde telefonu tableti yazıcı bodrum panelde sunucu kutusu bisiklet şofben
    """
)
"""What is opened by a few digits."""
_ACCOUNTS = _set(
    """
    paramount crunchyroll audible kindle canva adobe linkedin pinterest etsy aliexpress shein zalando otto
    kleinanzeigen klarna revolut n26 monzo venmo cashapp stripe shopify wordpress wix squarespace godaddy hetzner
    aws azure gcp heroku digitalocean strava garmin fitbit peloton deezer tidal soundcloud patreon onlyfans
    wikipedia stackoverflow bitbucket trello asana okta citrix salesforce sharepoint teamviewer anydesk rdp smb
    nextcloud plex jellyfin homeassistant pihole synology qnap unifi fritzbox speedport telekom vodafone sfr
    bouygues movistar fastweb turktelekom turkcell superonline macbook thinkpad keychain veracrypt luks bitlocker
    filevault zip rar 7z folder lehrerportal schulportal lernplattform krankenkasse finanzamt sparkasse volksbank
    postbank comdirect depot mediathek bücherei ameli pronote doctolib sncf laposte crédit mutuelle renfe dni
    sanitas iberdrola bbva santander caixabank mercadona glovo nubank itaú bradesco caixa ifood inss enem intesa
    unicredit trenitalia eduroam unibo mbank pko zus librus dziennik usos edevlet e-devlet eokul e-okul trendyol
    hepsiburada garanti ziraat akbank enpara intranett extranet webmail roundcube ftps minio redis mysql mariadb
    mongo kafka rabbitmq gitea vault camera's webcam babyphone doorbell alexa homepod projector beamer thermomix
    wi-fi modemin modemi modemde modeme routera routerze routeur routerem wpa wpa2 shared prompted prompts psql
    shell app banking telefonbanking authenticator verify login access banca correo posta portátil sistema postama
    e-postama eposta autenticarte entrar entrer entrare sms texted authentication otp totp 2fa mfa tan puk connect
    conexión anmelden mich dich accedere accedo gestionale wifi wi wlan lan fi ssid hotspot internet net network
    router modem nas server account accounts logins portal site website forum email e-mail mail gmail outlook
    hotmail yahoo icloud itunes apple google microsoft windows office netflix spotify disney hulu hbo prime amazon
    ebay paypal steam psn playstation xbox nintendo switch epic minecraft roblox fortnite twitch insta instagram
    facebook fb tiktok twitter snapchat tumblr myspace reddit discord telegram whatsapp signal skype zoom teams
    slack notion evernote dropbox onedrive github gitlab jira grafana jenkins kerberos sudo ssh root admin vpn ftp
    sql db database wallet metamask ledger coinbase binance bitwarden lastpass keepass tutanota proton protonmail
    vinted olx allegro subito wallapop mercadolibre mercado uber airbnb booking duolingo moodle broker bank atm tax
    pdf archive backup disk drive usb pc computer notebook desktop laptop imac mac camera cam babycam chromebook
    tablet ipad neopets fsa nhs hosting crm cms intranet cloud encrypted decrypts encrypts signed crack hacked
    guessed konto rechner netzwerk netz kamera drucker zugang gastzugang masterpasswort elster onlinebanking
    anmeldung compte ordinateur ordi réseau messagerie impôts caméra banque boursorama leboncoin freebox livebox
    club cuenta ordenador foro servidor cámara banco monedero hacienda secretaría conta computador rede correio
    fórum câmera câmara roteador estúdio telemóvel governo finanças conto rete telecamera portale pec spid inps
    registro fisco bucato chiavetta konta komputer komp sieć poczta serwer serwera profil naklejce platforma
    platformy hesap hesabı hesabım ağ ağı bilgisayar banka sitede kafenin obs interneti forumda sunucusu
    """
)
"""What is entered with a password."""
_ENTERS = _set(
    """
    token tokens secret new note remind everywhere mine old lautet type types typed typing punch punched enter
    enters entered press pressed dial dialed tap code codes pin passcode password pass pw combination log logs
    logged logging sign signed signing remember store save keep spelled letters exactly try chose picked generated
    weak strong guess reuse reused leaked pasted typo caps lowercase uppercase override tippen tippt tippst tipp
    eingeben gibst gibt drückst drücken geändert gewählt genommen nimm nehme wählen tape tapez taper tapant fais
    compose composez facile faible majuscule minuscules choisi piraté marca marcas marque marcar teclea tecleas
    pulsa débil fácil filtró cambiar minúscula mayúscula digita digitar digite senha fraca vazou troquei trocar
    premi digiti metti scrivilo credenziale accesso facendo wpisz wpisujesz wciśnij wbij podaj podać wchodzi
    wejdziesz dokładnie słabe hasło tuşla gir giriş girersen girmek yaz yazınca zayıf kodu şifre parola
    """
)
"""Who enters, chooses or loses a password says so with these."""
_HANDLES = _set(
    "insta instagram tiktok twitter snapchat reddit skype tumblr twitch discord telegram youtube facebook fb forum"
)
_OPENERS = _set(
    """
    logs opens unlocks lets gets opened unlocked eingeben öffnet entsperrt genommen ouvre débloque déverrouille abre
    abren apre sblocca otwiera odblokuje girmek yaz tuşla weak strong fácil fraca zayıf débil everywhere facile
    """
)
_STEMS = tuple(
    """
    bilgisayar telefon sunucu komputer serwer drukark domofon szlaban kłódk walizk sejf skrytk furtk bramk garaż
    asansör otopark cadead fechadur lucchett serratur candad cerradur schließf schlüsselk schlüsselb tresor yazıcı
    hesab entsperr anmeld einlogg verschlüssel déverrouill desbloque desactiv sblocc odblok zalog logow kilid şifrel
    unlock decrypt encrypt zaszyfr chiffr cifrad alarman hulajn
    """.split()
)
"""How inflected words and compounds begin,"""
_ENDINGS = tuple(
    "schloss tresor kasten schrank spind koffer zugang zentrale wlan konto netz haustür gartentor garagentor "
    "hoftor".split()
)
"""and how compounds end."""
_GLUE = _set(
    """
    is was are be been still now then just only the it its that's has have takes wants needs asks says reads said
    goes uses gets get set put to on with using by via and for my our your his her their today currently again back
    up number digit one thing in you we i they code codes combo combination pin password word panel side front hotel
    home house work ist war sind hat auf mit jetzt noch nur die der das den dem nummer geht braucht will einfach
    dann man du ab heute weiterhin est c'est sur avec par le la les au aux demande veut encore toujours tu il faut
    met mets es está con por el en número sigue siendo ahora pide una un marcas usa tiene é com o a no na continua
    ainda agora pede tá em do da tem quer só è sta ancora adesso vuole su di lo del e poi ora va messo ha jest ma po
    przez się dalej teraz prosi od w u nadal ile şimdi hâlâ artık için de bir oldu şu
    """
)
"""What may stand between a word and the value it is opened with."""
_WORD = lazy_pattern(r"(?<!\w)[^\W\d_]+(?:['’-][^\W\d_]+)*(?!\w)")
_LETTERS = lazy_pattern(r"[^\W\d_]{3,}")
_CLITIC = lazy_pattern(r"^(?:[lds]|dell|all|nell|sull)['’](?=\w{3})|['’]\w{0,3}$")
_PARTICLES = lazy_pattern("[ぁ-んー]{1,8}")
_JAPANESE = lazy_pattern(
    "金庫|南京錠|錠|ロッカー|ダイヤル|倉庫|ゲート|ドア|玄関|入口|入り口|鍵|門|駐車場|物置|部室|端末|スマホ|ipad|携帯|ロック|アラーム|警報|解錠|解除|開|入れ|入る|押"
    "|入力|打|暗証|アプリ|ポータル|ログイン|パスワード|パス|wi-?fi|ネット|ルーター|カメラ|サーバ|pc|パソコン|タブレット|口座|カード|コード|ワンタイム|トークン"
    "|アカウント|ポスト|鯖|キックボード|大学|給|ルーター|ベビーカメラ|裏|議決権|番号|アプリ|掲示板|スマートロック|警備|無効|止め|使って|覚え|ヤフオク|メルカリ|ネトフリ|楽天|マイクラ|mixi"
    "|掲示板|crm|漏れた|弱い|セキュリティ|制限"
)
_MIN_STEM = 4


class Opening(NamedTuple):
    """A word for something that is opened, and whether a few digits open it; or for opening, entering, choosing."""

    start: int
    end: int
    is_lock: bool
    is_account: bool = False
    is_handle: bool = False
    """Whether people are called something there."""
    is_opener: bool = False

    @property
    def is_thing(self) -> bool:
        return self.is_lock or self.is_account


def are_in(lower: str) -> bool:
    """Whether a text may have one of the words: a cheap test."""
    words = set(_LETTERS.findall(lower))
    return (
        not words.isdisjoint(_ALL)
        or any(map(lower.__contains__, _PARTS))
        or (not lower.isascii() and _JAPANESE.search(lower) is not None)
    )


def openings(lower: str, start: int, end: int) -> Iterator[Opening]:
    """The words in a part of a text."""
    for word in _WORD.finditer(lower, start, end):
        core = _CLITIC.sub("", word[0])
        is_lock = core in _LOCKS or _is_inflected(core)
        if is_lock or core in _ALL:
            yield Opening(*word.span(), is_lock, core in _ACCOUNTS, core in _HANDLES, core in _OPENERS)
    if not lower.isascii():
        yield from (
            Opening(*word.span(), is_lock=True, is_opener=True) for word in _JAPANESE.finditer(lower, start, end)
        )


def is_glue(lower: str, start: int, end: int) -> bool:
    """Whether all words between two positions only join what stands around them."""
    words = _WORD.findall(lower, start, end)
    return all(word in _GLUE or word in _ALL or _PARTICLES.fullmatch(word) for word in words)


def _is_inflected(word: str) -> bool:
    return len(word) > _MIN_STEM and (word.startswith(_STEMS) or word.endswith(_ENDINGS))


_ALL = _LOCKS | _ACCOUNTS | _ENTERS
_PARTS = ("wi-fi", *_STEMS, *_ENDINGS)
