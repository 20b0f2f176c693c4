"""Languages of texts: by script, and among those in Latin letters by their small words and letters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

_SMALL_WORDS: Final[Mapping[str, str]] = {
    "en": "the and of to in is you that it for was on are with as i at be this have from or not but what we can your "
    "there which when will would please how do if my has they just don't it's i'm am so about where thanks hello yes "
    "me he she him her them us our some more any all an a no let get go take know like see good well up out one been "
    "did could should why who than then here",
    "de": "der die das und ist nicht ich sie es ein eine zu den mit von auf für im dem auch wir haben sind wie kann "
    "können bitte ihr ihre wird oder aber wenn nur noch werden sich des bei nach hat ihnen mir uns danke hallo ja nein",
    "fr": "le la les et est une un des que pas vous je pour dans sur avec ce il nous du au qui votre être sont mais "
    "plus par cette je suis tout de c'est j'ai merci bonjour oui avez pouvez ou votre vos ne à ça elle on était",
    "es": "el la los las y es una un que no de en por para con su se lo del al como más pero está usted puede gracias "
    "hola sí muy ya ese esa lo tiene este esta yo también cuando donde son le me mi nos hay fue",
    "it": "il lo la gli le e è un una che non di per con sono del della si come più ma anche può grazie ciao questo "
    "questa mi dispiace ti ci nel alla hai ho suo dei delle essere quando dove prego sì",
    "pt": "o a os as e é um uma que não de em para com por seu sua do da no na mais mas você está obrigado olá sim "
    "como muito vou agora tem isso este esta foi são pode eu ao dos das quando onde também",
    "nl": "de het een en is niet ik je van dat op te in met voor zijn u we maar ook kunt kan heeft bij naar uw deze "
    "wij er aan om worden dank hallo ja nee hoe wat als nog geen jij mijn",
    "sv": "och att det är en ett jag du inte på för med som av den till har kan vi om så men från var ska din hur "
    "tack hej ja nej här eller mycket också när vad min mig dig snart ditt mitt går",
    "da": "og at det er en et jeg du ikke på for med som af den til har kan vi om så men fra var skal din hvordan "
    "tak hej ja nej her eller meget også når hvad mig dig blev efter nogle",
    "no": "og at det er en et jeg du ikke på for med som av den til har kan vi om så men fra var skal din hvordan "
    "takk hei ja nei her eller mye også når hva meg deg ble etter noen",
    "fi": "ja on ei se että en oli hän mutta niin kun minä sinä ole mitä voi voit kiitos hei tämä myös tai jos olen "
    "ovat sen heti voitko kanssa sitten miten missä kyllä vain",
    "pl": "i w nie na się jest że to z do jak ale co po za tak czy o są dla od może można dziękuję proszę ma mam "
    "zaraz pan pani gdzie kiedy już jestem",
    "tr": "bir ve bu için de da ne ben sen çok mi mı var yok ile gibi daha evet hayır nasıl teşekkürler merhaba ama "
    "hemen olarak değil sizin lütfen kadar olan",
    "ro": "și este nu o un în de la cu pe care pentru din mai sunt că ce dar am ați vă mulțumesc bună da sau puteți "
    "acest această",
    "cs": "a je se na že to v s z do jak ale co po za tak jsou pro od může děkuji prosím mám kde když už jsem není "
    "nebo také",
}
_WORDS: Final = {code: frozenset(words.split()) for code, words in _SMALL_WORDS.items()}
_SHARED: Final = Counter(word for words in _WORDS.values() for word in words)
_LETTERS: Final[Mapping[str, str]] = {
    "de": "ß", "es": "ñ¿¡", "pt": "ãõ", "pl": "łśźżćń", "ro": "șțăşţ", "tr": "ğışİ", "cs": "ěřůčž", "fr": "œùèê",
    "it": "ìò",
}  # fmt: skip
_SCRIPTS: Final[Mapping[str, str]] = {
    "HANGUL": "ko", "HIRAGANA": "ja", "KATAKANA": "ja", "GREEK": "el", "HEBREW": "he", "THAI": "th", "DEVANAGARI": "hi",
    "BENGALI": "bn", "TAMIL": "ta", "TELUGU": "te", "GEORGIAN": "ka", "ARMENIAN": "hy",
}  # fmt: skip
"""Scripts that one language has, as far as we tell languages."""
TOLD: Final = frozenset({*_WORDS, *_SCRIPTS.values(), "zh", "ru", "uk", "bg", "ar", "fa"})
"""Codes of the languages that can be told: all of ``LANGUAGES``."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_MOST: Final = 5_000
"""Characters that are looked at."""


@lru_cache(maxsize=4_096)  # whole texts
def language_of(text: str) -> str | None:
    """The code of a text's language; None if there is too little to tell it by."""
    letters = [letter for letter in text[:_MOST] if letter.isalpha()]
    scripts = Counter(unicodedata.name(letter, "?").partition(" ")[0] for letter in letters)
    if not scripts:
        return None
    script, count = scripts.most_common(1)[0]
    if scripts["HIRAGANA"] + scripts["KATAKANA"] > 0.1 * len(letters):
        return "ja"
    if count < 0.6 * len(letters):
        return None
    if script == "LATIN":
        return _latin(text[:_MOST].lower())
    if script == "CYRILLIC":
        return _cyrillic(text[:_MOST].lower())
    if script == "ARABIC":
        return "fa" if any(letter in "پچژگ" for letter in letters) else "ar"
    return "zh" if script == "CJK" else _SCRIPTS.get(script)


def _cyrillic(text: str) -> str | None:
    if any(letter in "іїєґ" for letter in text):
        return "uk"
    if any(letter in "ыэё" for letter in text):
        return "ru"
    return "bg" if text.count("ъ") > 1 else "ru" if len(text) > 15 else None


def _latin(text: str) -> str | None:
    """The language with most small words, those of few languages counting more; None if two are close."""
    words = [word.replace("’", "'") for word in _WORD.findall(text)]
    scores: dict[str, float] = dict.fromkeys(_WORDS, 0.0)
    for word in words:
        if word in _SHARED:
            for code, known in _WORDS.items():
                scores[code] += (word in known) / _SHARED[word]
    for code, marks in _LETTERS.items():
        scores[code] += 0.5 * sum(text.count(mark) for mark in marks)
    (best, most), (_, next_most) = sorted(scores.items(), key=lambda pair: -pair[1])[:2]
    return best if most >= 0.5 and most >= 1.5 * next_most else None
