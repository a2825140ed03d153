"""The words by which columns and values of guest lists are known, in the languages of many of them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# English, German, French, Spanish, Italian, Portuguese, Dutch, Finnish, Swedish, Norwegian and Danish.
HEADINGS: dict[str, str] = {
    "name": "name, names, full name, guest, guests, guest name, guest names, invitee, attendee, person, gast, "
    "gäste, gastname, vollständiger name, nom complet, invité, invités, nombre completo, invitado, "
    "invitados, nome completo, ospite, convidado, naam, nimi, vieras, vieraan nimi, koko nimi, "
    "kutsuttu, namn, gäst, gästens namn, fullständigt namn, navn, gjest",
    "first_name": "first name, first, given name, forename, firstname, vorname, prénom, nombre, nome, voornaam, "
    "etunimi, förnamn, fornavn",
    "last_name": "last name, last, surname, family name, lastname, nachname, familienname, nom, nom de famille, "
    "apellido, apellidos, cognome, apelido, sobrenome, achternaam, sukunimi, efternamn, etternavn",
    "party": "party, household, family, couple, invitation, haushalt, familie, partie, paar, einladung, foyer, "
    "famille, ménage, hogar, familia, famiglia, família, gezin, seurue, perhe, talous, kotitalous, "
    "sällskap, hushåll, familj",
    "groups": "groups, group, category, categories, side, circle, list, tags, tag, gruppe, gruppen, kategorie, "
    "seite, groupe, groupes, catégorie, grupo, grupos, categoría, gruppo, gruppi, groep, ryhmä, ryhmät, "
    "puoli, grupp, grupper",
    "reply": "reply, rsvp, response, answer, attending, attendance, status, coming, confirmed, antwort, zusage, "
    "rückmeldung, teilnahme, kommt, réponse, présence, statut, respuesta, asistencia, asiste, "
    "confirmado, confirmación, estado, risposta, resposta, antwoord, vastaus, osallistuu, tulee, svar, "
    "kommer, osa",
    "child": "child, kid, children, is child, kind, kinder, enfant, niño, niña, bambino, criança, kind ja nein, "
    "lapsi, lapsia, barn",
    "diet": "diet, dietary, dietary requirements, dietary restrictions, dietary needs, meal, food, allergies, "
    "allergy, menu, menü, ernährung, essen, diät, allergien, unverträglichkeiten, régime, régime "
    "alimentaire, repas, dieta, alergias, comida, dieet, ruokavalio, erityisruokavalio, allergiat, "
    "ruoka, kost, specialkost, allergier, matönskemål",
    "note": "note, notes, comment, comments, remark, remarks, notiz, notizen, bemerkung, bemerkungen, "
    "kommentar, remarque, remarques, commentaire, nota, notas, comentario, comentarios, opmerking, "
    "huomio, huomautus, huomautukset, lisätiedot, muistiinpano, anteckning, anteckningar, kommentarer, "
    "merknad",
    "high_chair": "high chair, highchair, high chair needed, hochstuhl, kinderhochstuhl, chaise haute, trona, "
    "seggiolone, kinderstoel, syöttötuoli, barnstol",
    "public_name": "shown to guests as, name on card, place card name, name on place card, anzeigename",
    "plus_one": "plus one, +1, plus ones, guest of guest, companion, accompanied by, extra guests, begleitung, "
    "begleitperson, accompagnant, acompañante, accompagnatore, acompanhante, seuralainen, avec, "
    "respektive, följeslagare",
}
REPLIES: dict[str, str] = {
    "yes": "yes, y, x, 1, true, ok, attending, accepted, coming, confirmed, will attend, going, comes, ja, j, "
    "zugesagt, kommt, nimmt teil, oui, o, présent, présente, accepté, vient, confirmé, sí, si, s, "
    "viene, acepta, asiste, confirmado, confirmada, sì, sim, kyllä, k, tulee, tulossa, osallistuu, "
    "vahvistettu, kommer, tackat ja, deltar, ✓, ✔",
    "no": "no, n, 0, false, declined, not attending, regrets, not coming, does not come, won't attend, "
    "cancelled, nein, abgesagt, kommt nicht, absage, non, absent, absente, décliné, ne vient pas, no "
    "viene, rechaza, não, nee, ei, ei tule, ei osallistu, peruttu, perunut, nej, nei, tackat nej, "
    "kommer inte, kommer ej, ✗, ✘",
    "maybe": "maybe, perhaps, tentative, unsure, undecided, possibly, ?, vielleicht, unsicher, evtl, eventuell, "
    "peut-être, incertain, quizás, tal vez, quizá, forse, talvez, misschien, ehkä, mahdollisesti, "
    "kanske, osäker, kanskje, måske",
    "invited": "invited, no answer, no answer yet, pending, awaiting, awaiting reply, no reply, waiting, sent, not "
    "yet, offen, eingeladen, ausstehend, keine antwort, invité, en attente, pas de réponse, invitado, "
    "pendiente, sin respuesta, in attesa, pendente, kutsuttu, odottaa, ei vastausta, vastaamatta, "
    "inbjuden, väntar, inget svar, invitert, -",
}
# What stands between two words of a heading that mean the same, as in “Family / Household”.
GROWN_UP = 18
BETWEEN_HEADINGS = re.compile(r"/|\b(?:or|oder|ou|eller|tai)\b")
CHILD = "child, kid, baby, toddler, infant, kind, enfant, bébé, niño, niña, bambino, criança, lapsi, vauva, barn"
DIETS = (
    "vegetarian, vegan, vegetarisch, végétarien, végétarienne, végan, vegetariano, vegetariana, vegano, "
    "vegana, kasvis, kasvissyöjä, vegaani, vegetarisk, gluten free, gluten-free, glutenfrei, sans gluten, "
    "sin gluten, gluteeniton, glutenfri, lactose free, laktosefrei, laktoositon, laktosfri, halal, "
    "kosher, no nuts, pescatarian"
)

GROUPS = (
    "family, friends, friend, work, colleagues, colleague, neighbours, neighbors, school, university, church, choir, "
    "club, team, sports, bride, groom, bride's side, groom's side, relatives, cousins, parents, partners, clients, "
    "familie, freunde, arbeit, kollegen, nachbarn, schule, uni, verein, chor, braut, bräutigam, famille, amis, "
    "travail, collègues, voisins, école, mariée, marié, familia, amigos, trabajo, colegas, vecinos, novia, novio, "
    "famiglia, amici, lavoro, colleghi, vicini, sposa, sposo, família, trabalho, vizinhos, noiva, noivo, gezin, "
    "vrienden, werk, buren, perhe, suku, sukulaiset, ystävät, kaverit, työ, työkaverit, kollegat, naapurit, koulu, "
    "kuoro, morsian, sulhanen, familj, släkt, vänner, jobb, kollegor, kolleger, grannar, skola, kör, brud, brudgum, "
    "venner, naboer"
)


@lru_cache(maxsize=4096)  # the same few words stand in thousands of rows
def plain(text: str) -> str:
    """Return a word as it is compared: small, without accents, signs at its ends and spaces too many."""
    letters = unicodedata.normalize("NFKD", text.replace("_", " ").casefold())
    kept = "".join(letter for letter in letters if not unicodedata.combining(letter))
    stripped = re.sub(r"\(.*?\)|[:*#.]", " ", kept) if len(kept) > 2 else kept
    return " ".join(stripped.split())


def _by_word(groups: dict[str, str]) -> dict[str, str]:
    return {plain(word): key for key, words in groups.items() for word in words.split(", ")}


HEADING_OF = _by_word(HEADINGS)
REPLY_OF = _by_word(REPLIES)
CHILD_WORDS = frozenset(_by_word({"child": CHILD}))
DIET_WORDS = frozenset(_by_word({"diet": DIETS}))
GROUP_WORDS = frozenset(_by_word({"groups": GROUPS}))


def read_heading(text: str) -> list[str]:
    """Return the field that a heading means; where two words are joined, one for each, "" for what is unknown."""
    word = plain(text)
    whole = HEADING_OF.get(word) or HEADING_OF.get(_without_signs(word))
    parts = [word] if whole else BETWEEN_HEADINGS.split(word)
    return [whole or HEADING_OF.get(_without_signs(part), "") for part in parts]


def _without_signs(word: str) -> str:
    return " ".join(re.sub(r"[^\w\s+]", " ", word).split())


def read_reply(text: str) -> str | None:
    """Return the reply that a word means: invited, yes, maybe or no; None where it is unknown."""
    return REPLY_OF.get(plain(text))


def read_child(text: str) -> bool | None:
    """Return whether a word means a child; None where it is unknown."""
    word = plain(text)
    if word in CHILD_WORDS:
        return True
    known = REPLY_OF.get(word)
    return {"yes": True, "no": False}.get(known or "")


def read_number_of_children(text: str) -> bool | None:
    """Return True where a number stands for a child: how many there are, or how old they are; None for any other."""
    word = plain(text)
    return True if word in map(str, range(1, GROWN_UP)) else None


def unknown_word(field: str, text: str) -> str:
    """Say that a word is no reply, or says nothing about a child."""
    says = "is not a known reply" if field == "reply" else "is not yes or no"
    return f"“{text[:30]}” {says}"


def not_understood(field: str, text: str) -> str:
    """Say that a word is no reply, or says nothing about a child, and which words are."""
    wanted = "yes, no, maybe or invited" if field == "reply" else "yes or no"
    return f"{unknown_word(field, text)}; write {wanted}"
