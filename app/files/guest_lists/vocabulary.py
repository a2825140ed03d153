"""The words by which the values in guest lists are known, in the languages of many of them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from app.bounded_cache import emptied_when_erased

# English, German, French, Spanish, Italian, Portuguese, Dutch, Finnish, Swedish, Norwegian, Danish and Polish.
REPLIES: dict[str, str] = {
    "yes": "yes, y, x, 1, true, ok, attending, accepted, accepts, accept, coming, confirmed, will attend, "
    "going, comes, joyfully accepts, accepts with pleasure, happily accepts, rsvp yes, definitely, in, ja, j, "
    "zugesagt, kommt, nimmt teil, oui, o, présent, présente, accepté, vient, confirmé, sí, si, s, viene, acepta, "
    "asiste, confirmado, confirmada, sì, sim, kyllä, k, tulee, tulossa, osallistuu, vahvistettu, kommer, "
    "tackat ja, deltar, tak, registered, 👍, ✓, ✔, ☑, ✅, √",
    "no": "no, n, 0, false, declined, declines, decline, not attending, regrets, regret, not coming, "
    "does not come, won't attend, will not attend, can't come, cannot come, can't make it, unable to attend, "
    "regretfully declines, declines with regret, not going, out, rsvp no, cancelled, nein, abgesagt, kommt nicht, "
    "absage, non, absent, absente, décliné, ne vient pas, no viene, rechaza, não, nee, ei, ei tule, ei osallistu, "
    "peruttu, perunut, nej, nei, tackat nej, kommer inte, kommer ej, nie, 👎, ✗, ✘, ❌, ✖, ☒, ×",
    "maybe": "maybe, perhaps, tentative, unsure, undecided, possibly, not sure, ?, ??, vielleicht, unsicher, "
    "evtl, eventuell, peut-être, incertain, quizás, tal vez, quizá, forse, talvez, misschien, ehkä, mahdollisesti, "
    "kanske, osäker, kanskje, måske, nie wiem, może, ❓",
    "invited": "invited, no answer, no answer yet, pending, awaiting, awaiting reply, awaiting response, "
    "no reply, no reply yet, no response, no response yet, not responded, unanswered, unknown, tbc, tbd, tba, "
    "waiting, sent, not yet, not invited yet, ☐, –, —, n/a, offen, eingeladen, ausstehend, keine antwort, invité, "
    "en attente, pas de réponse, invitado, pendiente, sin respuesta, in attesa, pendente, kutsuttu, odottaa, "
    "ei vastausta, vastaamatta, inbjuden, väntar, inget svar, invitert, waitlist, waitlisted, waiting list, czeka, -",
}
BABY = "baby, babies, infant, toddler, newborn, bébé, bebé, neonato, vauva, säugling, spädbarn"
CHILD = "child, children, kid, kids, kind, kinder, enfant, niño, niña, bambino, criança, lapsi, barn"
TEENAGER = "teenager, teen, teenagers, teens, jugendlicher, jugendliche, ado, adolescent, nuori, tonåring"
ADULT = "adult, adults, grown-up, erwachsen, erwachsene, erwachsener, adulte, adulto, adulta, aikuinen, vuxen"
TICKS = "x, ✓, ✔, ☑, ✅, √, 1, yes, y, true, ja, oui, sí, si, sì, sim, kyllä, tak, *"
NO_TICKS = "☐, 0, no, n, false, nein, non, nee, ei, nej, nei, nie, -, –, ✗, ✘, ❌"
DIETS = (
    "vegetarian, vegan, vegetarisch, végétarien, végétarienne, végan, vegetariano, vegetariana, "
    "vegano, vegana, kasvis, kasvissyöjä, vegaani, vegetarisk, gluten free, gluten-free, glutenfrei, sans gluten, "
    "sin gluten, gluteeniton, glutenfri, lactose free, laktosefrei, laktoositon, laktosfri, halal, kosher, "
    "no nuts, pescatarian"
)

GROUPS = (
    "family, friends, friend, work, colleagues, colleague, neighbours, neighbors, school, "
    "university, church, choir, club, team, sports, bride, groom, bride's side, groom's side, relatives, cousins, "
    "parents, partners, clients, familie, freunde, arbeit, kollegen, nachbarn, schule, uni, verein, chor, braut, "
    "bräutigam, famille, amis, travail, collègues, voisins, école, mariée, marié, familia, amigos, trabajo, "
    "colegas, vecinos, novia, novio, famiglia, amici, lavoro, colleghi, vicini, sposa, sposo, família, trabalho, "
    "vizinhos, noiva, noivo, gezin, vrienden, werk, buren, perhe, suku, sukulaiset, ystävät, kaverit, työ, "
    "työkaverit, kollegat, naapurit, koulu, kuoro, morsian, sulhanen, familj, släkt, vänner, jobb, kollegor, "
    "kolleger, grannar, skola, kör, brud, brudgum, venner, naboer"
)

NONE = (
    "none, nothing, nil, no, n/a, na, -, –, —, nein, keine, keins, aucun, aucune, rien, ninguna, ninguno, nessuna, "
    "nessuno, nenhuma, geen, ei, inga, ingen, brak"
)
"""What stands in a column of diets or allergies for guests who have none."""

CHILDREN = ("child", "baby")
BABIES_TO, CHILDREN_TO, GROWN_UP, OLDEST = 2, 13, 18, 120
# “4”, “4 yrs”, “age 4”, “aged 12”, “18 months”, “4 y/o”, “6 Jahre”
AGE = re.compile(
    r"(?:(?:aged?|alter|ikä|âge)\s*)?(?:([0-9]{1,3})|([0-9]{1,3})\s*"
    r"(?:(m|mo|mos|mths?|months?|monate?|mois|kk)"
    r"|y|yo|y/o|yr|yrs|years?(?: old)?|jahre?|ans|años?|anni|anos|jaar|v|år|lat|lata))"
)
ANSWER = re.compile(r"\s*(yes|no|maybe|sorry|ja|nein|leider|oui|non|sí|sì|sim|não)\s?[,.!;–—-]", re.IGNORECASE)


@emptied_when_erased
@lru_cache(maxsize=4096)  # the same few words stand in thousands of rows
def plain(text: str) -> str:
    """Return a word as it is compared: small, without accents, signs at its ends and spaces too many."""
    letters = unicodedata.normalize("NFKD", text.replace("_", " ").replace("\ufe0f", "").casefold())
    kept = "".join(letter for letter in letters if not unicodedata.combining(letter))
    stripped = re.sub(r"\(.*?\)|[:*#.]", " ", kept) if len(kept) > 2 else kept
    return " ".join(stripped.split())


def by_word(groups: dict[str, str]) -> dict[str, str]:
    """Return the key of each of the words, which commas divide."""
    return {plain(word): key for key, words in groups.items() for word in words.split(", ")}


ALLERGEN_WORDS = by_word(
    {
        "nuts": "nut, nuts, nut allergy, tree nuts, nüsse, nuss, noix, fruits à coque, frutos secos, nueces, orzechy",
        "peanuts": "peanut, peanuts, erdnüsse, erdnuss, arachides, cacahuètes, cacahuetes, maní",
        "milk": "milk, dairy, lactose, milch, laktose, lait, lactosa, leche, mleko, laktoza",
        "eggs": "egg, eggs, ei, eier, œufs, oeufs, huevo, huevos, jajka",
        "gluten": "gluten, wheat, weizen, blé, trigo, coeliac, celiac, zöliakie",
        "soya": "soya, soy, soja",
        "fish": "fish, fisch, poisson, pescado, ryby",
        "crustaceans": "crustaceans, shellfish, prawns, krebstiere, crustacés, marisco, mariscos, skorupiaki",
        "celery": "celery, sellerie, céleri, apio, seler",
        "mustard": "mustard, senf, moutarde, mostaza, gorczyca",
        "sesame": "sesame, sesam, sésame, sésamo, sezam",
    }
)
NUMBER_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
REPLY_OF = by_word(REPLIES)
AGE_GROUP_OF = by_word({"baby": BABY, "child": CHILD, "teenager": TEENAGER, "adult": ADULT})
TICK_WORDS, NO_TICK_WORDS = (frozenset(by_word({"": words})) for words in (TICKS, NO_TICKS))
DIET_WORDS = frozenset(by_word({"diet": DIETS}))
NO_WORDS = frozenset(map(plain, NONE.split(", ")))
GROUP_WORDS = frozenset(by_word({"groups": GROUPS}))


def read_reply(text: str) -> str | None:
    """Return the reply that a word, or the first word of a sentence, means; None where it is unknown."""
    return REPLY_OF.get(plain(text)) or REPLY_OF.get(_bare(text)) or _first_word_of_reply(text)


def _first_word_of_reply(text: str) -> str | None:
    """Return what an answer in a form begins with: “Yes, wouldn't miss it!”, “Sorry, can't make it”."""
    found = ANSWER.match(text)
    return {"sorry": "no", "leider": "no"}.get(plain(found[1])) or REPLY_OF.get(plain(found[1])) if found else None


def _bare(text: str) -> str:
    """Return a word without faces and exclamation marks: “Yes!!”, “No :(”."""
    return plain(re.sub(r"[:;=]-?[()DPp/|]+|!+|…|\.{2,}", " ", text))


def read_child(text: str) -> bool | None:
    """Return whether a word means a child; None where it is unknown."""
    word = plain(text)
    if word in AGE_GROUP_OF:
        return AGE_GROUP_OF[word] in CHILDREN
    known = REPLY_OF.get(word)
    return {"yes": True, "no": False}.get(known or "")


def read_age_group(text: str) -> str | None:
    """Return the age group that a word, an age or a year means: “adult”, “4”, “4 yrs”, “age 4”; None where unknown."""
    word = plain(text)
    if word in AGE_GROUP_OF:
        return AGE_GROUP_OF[word]
    found = AGE.fullmatch(word)
    return None if found is None else age_group(int(found[1] or found[2]), in_months=bool(found[3]))


def age_group(age: int, *, in_months: bool = False) -> str | None:
    """Return the group of an age in years, None for an age that nobody has."""
    if in_months or age < BABIES_TO:
        return "baby"
    if age > OLDEST:
        return None
    return "child" if age < CHILDREN_TO else "teenager" if age < GROWN_UP else "adult"


def is_tick(text: str) -> bool:
    """Return whether a cell is a mark that something is so, and no word."""
    return plain(text) in TICK_WORDS


def unknown_word(field: str, text: str) -> str:
    """Say that a word is not a known reply or age."""
    says = "is not a known reply" if field == "reply" else "is not yes or no"
    return f"“{text[:30]}” {says}"


def not_understood(field: str, text: str) -> str:
    """Say that a word is not a known reply or age, and list the known ones."""
    wanted = "yes, no, maybe or invited" if field == "reply" else "yes or no"
    return f"{unknown_word(field, text)}; write {wanted}"
