"""What the guard of summaries looks for in a sentence: how it is meant, of whom, and who said it."""

from recollect.language.lexicon import Patterns

PATTERNS = Patterns(
    supposed=r"\b(?:whether|\w+'d|if|might|may|maybe|perhaps|wish|unless|would|could|suppose|imagine"
    r"|thinking (?:of|about)|wenn|falls|ob|vielleicht|würde\w*|hätte\w*|könnte\w*|si|peut-être|ojalá|quizás?|talvez)\b",
    as_supposed=r"\b(?:if|might|may|maybe|perhaps|wish\w*|unless|would|could|suppos\w+|imagin\w+|think\w*|consider\w*|plan\w*"
    r"|want\w*|hop\w+|possib\w+|potential\w*|discuss\w*|ask\w*|suggest\w*|propos\w+|fear\w*|worr\w+|idea\w*|option\w*"
    r"|when|once|after|wenn|falls|sobald|vielleicht|würde\w*|hätte\w*|könnte\w*|si|quand|peut-être|quizás?|talvez)\b",
    wanted=r"\b(?:ask|wonder|need|look|want|question|frag|brauch|such|demand|pregunt|busc|pergunt|procur)\w*",
    first_person=r"\b(?:i|i'm|i've|i'll|i'd|me|ich|mich|mir|je|j'\w+|yo|eu|io)\b",
    former=r"\b(?:used to|formerly|previously|no longer|anymore|once (?:had|was|lived|worked)|früher"
    r"|ehemals|avant|autrefois|antes|prima|kiedyś|eskiden)\b",
    as_former=r"\b(?:used to|former\w*|previous\w*|no longer|once|was|were|had|did|\w{2,}ed|left|taught|went|before"
    r"|past|früher\w*|war|hatte|\w+te|ehemalig\w*|était|avait|antes|prima|kiedyś|eskiden)\b",
    nearly=r"\b(?:almost|nearly|fast|beinahe|failli|presque|casi|quase|quasi|prawie|neredeyse|az kalsın)\b",
    conversed=r"\b(?:talk|discuss|chat|spoke|speak|ask|exchang|compar|greet|joke|argu|gesprochen|unterh\w+"
    r"|parl|discut|habl|convers|fal[ao]|rozmawia)\w*",
    anyone=r"\b(?:everyone|everybody|nobody|no one|all of them|they all|one of them|some of them|both|neither|somebody"
    r"|jeder|alle|niemand|beide|personne|todos|nadie|tutti|nessuno|wszyscy|nikt|herkes)\b",
    normative=r"\b(?:should|must|has to|have to|needs? to|shall|soll\w*|muss|müssen|devrait|doit|doivent"
    r"|deben?|deve|devem)\b",
    refusal=r"^\W*(?:(?:sorry|oh|hm+|well|probably|rather|definitely|leider|lieber|wohl) ?,? ?)*(?:no|not|nope|nah"
    r"|(?:i )?can't|i won't|nein|nee|nicht|nö|non|não|nie)\b",
    pronoun=r"^\W*(?:he|she|they|her|his|their|er|sie|il|elle|él|ella|ele|ela|lui|lei|on|ona)\b",
    relative_day=r"\b(?:today|tomorrow|tonight|yesterday|(?:next|last|this) (?:week|weekend|month|year|\w+day)"
    r"|in \w+ (?:days?|weeks?|months?)|heute"
    r"|morgen|gestern|demain|hier|mañana|ayer|amanhã|ontem)\b",
    retold=r"(?:plan|agree|ask|mention|say|said|tell|told|talk|discuss|consider|decid|decision|want|wish|hop|fear|worr"
    r"|think|thought|learn|promis|offer|suggest|propos|report|explain|describ|share|note|announc|confirm|accept|thank"
    r"|congratulat|recommend|remind|new|current|still|also|both|together|about|famil|group|user|bot|assistant|people|conversation"
    r"|topic|question|answer|repl|respon|will|able|unable|possibl|potential|former|previous|past|future|according|because"
    r"|due|feel|felt|look|intend|expect|interest|excit|happy|glad|sad|eat|visit|bring|left"
    r"|leav|quit|start|begin|got|get|own|use|call|name)",
    assent=r"^\W*(?:oh |ok |well )?(?:i can|i will|i'll|sure|yes|yeah|yep|ok|okay|of course|no problem|count me in"
    r"|gladly|kann ich|mach ich|klar|ja|oui|d'accord|bien sûr|sí|claro|sim|certo)\b",
    of_theirs=r"^\W*(?:(?:and|but|oh|so|yes|no|und|aber|et|y|e) )?"
    r"(?:my|our|mein\w*|unser\w*|mon|ma|notre|mi|minha|meu) (?P<whom>[^\W\d_]+)",
    role=r"(?:user|person|people|member|author|speaker|someone|bot|assistant|assistent|nutzer|benutzer|utilisateur|usuario"
    r"|usuário|utente)",
    kin_name=r"['’]s ([a-z]+) ([A-Z][a-z]+)",
    of_third=r"^\W*(?:(?:no|yes|and|but|oh|nein|ja|und|sí|y|non|oui|et|não|sim|e)\W+)?(?:he|she|they|er|il|elle|ils|elles|él"
    r"|ella|ellos|ele|ela|eles|lui|lei)\b",
    owned_by=r"\b([^\W\d_]+) (?:de|du|do|da|di|d['’]) ?([^\W\d_]+)",
    owned=r"\b([^\W\d_]+)['’]s ([^\W\d_]+)",
)
