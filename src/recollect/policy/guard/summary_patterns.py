"""What the guard of summaries looks for in a sentence: how it is meant, of whom, and who said it."""

from recollect.language.lexicon import Patterns

PATTERNS = Patterns(
    supposed=r"\b(?:whether|\w+'d|if|might|may|maybe|perhaps|wish|unless|would|could|suppose|imagine"
    r"|thinking (?:of|about)|wenn|falls|ob|vielleicht|würde\w*|hätte\w*|könnte\w*|si|peut-être|ojalá|quizás?|talvez)\b",
    as_supposed=r"\b(?:if|might|may|maybe|perhaps|wish\w*|unless|would|could|suppos\w+|imagin\w+|think\w*|consider\w*|plan\w*"
    r"|want\w*|hop\w+|possib\w+|potential\w*|discuss\w*|ask\w*|suggest\w*|propos\w+|offer\w*|volunteer\w*|anbiet\w*|bot\b|bietet|fear\w*|worr\w+|idea\w*|option\w*"
    r"|when|once|after|wenn|falls|sobald|vielleicht|würde\w*|hätte\w*|könnte\w*|si|quand|peut-être|quizás?|talvez)\b",
    wanted=r"\b(?:ask|wonder|need|look|want|question|frag|brauch|such|woll|will|möcht|bitt|demand|pregunt|busc|pergunt|procur)\w*",
    first_person=r"\b(?:i|i'm|i've|i'll|i'd|me|ich|mich|mir|je|j'\w+|yo|eu|io)\b",
    former=r"\b(?:used to|formerly|previously|no longer|anymore|once (?:had|was|lived|worked)|früher"
    r"|ehemals|avant|autrefois|antes|prima|kiedyś|eskiden)\b",
    as_former=r"\b(?:used to|former\w*|previous\w*|no longer|once|was|were|had|did|\w{2,}ed|left|taught|went|before"
    r"|past|früher\w*|war|hatte|\w+te|ehemalig\w*|était|avait|antes|prima|kiedyś|eskiden)\b",
    nearly=r"\b(?:almost|nearly|fast|beinahe|failli|presque|casi|quase|quasi|prawie|neredeyse|az kalsın)\b",
    conversed=r"\b(?:talk|discuss|chat|spoke|speak|ask|exchang|compar|greet|joke|argu|bitte|pregunt|demand|chied|chies|pergunt|pyta|gesprochen"
    r"|unterh\w+|parl|discut|habl|convers|fal[ao]|rozmawia)\w*",
    anyone=r"\b(?:everyone|everybody|nobody|no one|all of them|they all|one of them|some of them|both|neither|somebody"
    r"|jeder|alle|niemand|beide|personne|todos|nadie|tutti|nessuno|wszyscy|nikt|herkes)\b",
    normative=r"\b(?:should|must|has to|have to|needs? to|shall|soll\w*|muss|müssen|devrait|doit|doivent"
    r"|deben?|deve|devem)\b",
    refusal=r"^\W*(?:(?:sorry|oh|hm+|well|probably|rather|definitely|leider|lieber|wohl) ?,? ?)*(?:no|not|nope|nah"
    r"|(?:i )?can't|i won't|ich kann (?:da )?nicht|je ne peux pas|no puedo|não posso|non posso|nein|nee|nicht|nö|non"
    r"|não|nie)\b",
    pronoun=r"^\W*(?:he|she|they|her|his|their|er|sie|il|elle|él|ella|ele|ela|lui|lei|on|ona)\b",
    relative_month=r"\b(?:(?:next|last|this) month|in \w+ (?:weeks?|months?)|nächst\w+ monat|in \w+ (?:wochen|monaten)"
    r"|(?:ce|le) mois|dans \w+ (?:semaines|mois)|(?:este|próximo|pasado) mes)\b",
    relative_day=r"\b(?:today|tomorrow|tonight|yesterday|(?:next|last|this) (?:week|weekend|month|year|\w+day)"
    r"|in \w+ (?:days?|weeks?|months?)|heute"
    r"|morgen|gestern|demain|hier|mañana|ayer|amanhã|ontem)\b",
    retold=r"(?:plan|agree|ask|mention|say|said|tell|told|talk|discuss|consider|decid|decision|want|wish|hop|fear|worr"
    r"|think|thought|learn|promis|offer|suggest|propos|report|explain|describ|share|note|announc|confirm|accept|thank"
    r"|congratulat|recommend|remind|whether|new|current|still|also|both|together|about|famil|group|user|bot|assistant|people|conversation"
    r"|topic|question|answer|repl|respon|will|able|unable|possibl|potential|former|previous|past|future|according|because"
    r"|due|feel|felt|look|intend|expect|interest|excit|happy|glad|sad|frag|sag|erzähl|mein|will|möcht|bitt|bat|bot|biet|schlägt|schlug|empf|erinner|bestät"
    r"|bekomm|bekam|krieg|geht|gibt|brauch|wird|kann|darf|soll|muss|möch|freu|eat|visit|bring|left"
    r"|leav|quit|start|begin|got|get|own|use|call|name)",
    assent=r"^\W*(?:oh |ok |well )?(?:i can|i will|i'll|sure|yes|yeah|yep|ok|okay|of course|no problem|count me in"
    r"|gladly|(?:you can )?(?:take|have|use|borrow) (?:mine|it|ours|one|my)|nimm mein\w*|prends l[ea]|toma"
    r"|kann ich|mach ich|klar|ja|oui|d'accord|bien sûr|sí|claro|sim|certo)\b",
    of_theirs=r"^\W*(?:(?:and|but|oh|so|yes|no|und|aber|et|y|e) )?"
    r"(?:my|our|mein\w*|unser\w*|mon|ma|notre|mi|minha|meu) (?P<whom>[^\W\d_]+)",
    role=r"(?:user|person|people|member|author|speaker|someone|bot|assistant|assistent|nutzer|benutzer|utilisateur|usuario"
    r"|usuário|utente)",
    kin_name=r"['’]s ([a-z]+) ([A-Z][a-z]+)",
    of_third=r"^\W*(?:(?:no|yes|and|but|oh|nein|ja|und|sí|y|non|oui|et|não|sim|e)\W+)?(?:he|she|they|er|il|elle|ils|elles|él"
    r"|ella|ellos|ele|ela|eles|lui|lei)\b",
    owned_by=r"\b([^\W\d_]+) (?:de|du|do|da|di|d['’]|von|of) ?([^\W\d_]+)",
    who=r"\b(?:who|wer|qui|quién|chi|quem|kto|(?:can|could|does|is) (?:any|some)(?:one|body)|kann (?:jemand|wer))\b"
    r"[^.!?]*\?",
    has=r"\ba (?:une?|des|du)\b|\b(?:has|have|had|hat|haben|hatte|tiene|tenía|aveva|tem|tinha)\b",
    addressed=r"\b(?:you|your|yours|du|dich|dir|dein\w*|euch|eure?\w*|ihr|tu|te|toi|ton|ta|tes|vous|votre|vos|ti|os|contigo"
    r"|você|vocês|vi|voi|tuo|tua)\b",
    which=r"(?i)\b(?:which|what|your|welche\w*|dein\w*|quel\w*|ton|ta|cuál|tu|quale|tuo|qual)\b[^.!?]*\?",
    passive=r"^[^\W\d_]+ (?:(?:was|were|got|has been|is being) (?:\w+ly )?|(?:wurde|wird)\b(?:.* )?)"
    r"(?P<verb>\w+(?:ed|en|t|wn))\b(?! \w+(?:ed|en|t)\b)",
    was=r"\b(?:was|were|been|being|got|wurde|wird|worden|werde)\b",
    lives_in=r"^[^\W\d_]+ (?:lives?|wohnt|lebt|habite|vit|vive|mora|mieszka)"
    r" (?:in|at|en|à|em|no|na|w|a) (?P<place>[^\W\d_]+)",
    states_lives=r"\b(?:liv|hous|home|mov|rent|pay|room|grew|born|wohn|leb|zieh|zog|miete|zahl|zimmer|habit|vi[st]|démén|loue"
    r"|viv|mud|alquil|mor|aluga|abit|trasfer|mieszka)\w*|\bhere\b|\bhier\b",
    works_in=r"^[^\W\d_]+ (?:works?|arbeitet|travaille|trabaja|lavora|trabalha|pracuje)"
    r" (?:in|at|for|bei|für|en|à|chez|em|a|w)"
    r" (?:the |der |die |das |dem |la |le )?(?P<place>[^\W\d_]+)",
    states_works=r"\b(?:work|job|office|employ|hired|start|shift|intern|boss|arbeit|büro|stelle|anfang|fang|fing|schicht|jobb"
    r"|chef|travaill|bureau|emploi|trabaj|oficina|empleo|lavor|ufficio|trabalh|escritório|emprego|prac|biur)\w*",
    to_me=r"\b(?:me|mir|mich|moi)\b",
    i_do=r"\b(?:i|i'm|i've|i'll|i'd|ich|je|we|wir)\b|\bj['’]",
    has_thing=r"^[^\W\d_]+ (?:has|owns|got|hat|besitzt|a|possède|tiene|ha|tem)"
    r" (?:an?|two|three|ein\w*|zwei|drei|une?|una?|um|uma) (?P<thing>[^\W\d_]+(?: [^\W\d_]+)?)\W*$",
    is_role=r"^[^\W\d_]+ (?:is|was|ist|war|est|es|è|é) (?:an?|ein\w?|une?|una?|um|uma) (?P<role>[^\W\d_]+)\W*$",
    of_a_role=r"\b(?:i'm|i am|i was|as|work(?:s|ed|ing)? as|bec[ao]me|being|be|you're|you are|he's|she's|is"
    r"|bin|als|bist|ist|suis|es|est|comme|soy|eres|como|sono|sei|come|sou|jestem)\b",
    verb_denied=r"\b(?:not|never|nicht|niemals|jamais|nunca|non)\b|\w+n['’]t\b|\bn(?:e |['’])\w+ (?:pas|plus|jamais)\b",
    pleased=r"\b(?:happy|glad|pleased|delighted|thrilled|proud|relieved|enjoys?|froh|glücklich|zufrieden|stolz|heureu\w+"
    r"|content\w?|feli[zc]\w*|orgullos\w+|great|yay|finally|awesome|wonderful|love it|super|toll)\b",
    sorry=r"\b(?:regret\w*|sad|unhappy|upset|angry|annoyed|annoying|sorry|disappoint\w+|ashamed|hate|awful|unfortunately|bereu\w+"
    r"|traurig|leider|ärger\w*|wütend|enttäuscht|triste|déçu\w*|fâché\w*|lamento|arrepient\w+|enfadad\w+)\b",
    owned=r"\b([^\W\d_]+)['’]s ([^\W\d_]+)",
)
