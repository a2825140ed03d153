"""What the headings of guest lists mean, in the languages of many of them and in the files of other programs."""

from __future__ import annotations

import re

from app.files.guest_lists.vocabulary import by_word, plain

UNUSED = "unused"
"""What a heading means that is known and that no guest has: an address, a gift."""

# English, German, French, Spanish, Italian, Portuguese, Dutch, Finnish, Swedish, Norwegian, Danish and Polish.
HEADINGS: dict[str, str] = {
    "name": "name, names, full name, guest, guests, guest name, guest names, invitee, invitees, attendee, "
    "person, primary guest, primary guest name, main guest, head of household, name of guest, invited guest, gast, "
    "gäste, gastname, vollständiger name, nom complet, invité, invités, nombre completo, invitado, invitados, "
    "nome completo, ospite, convidado, naam, nimi, vieras, vieraan nimi, koko nimi, kutsuttu, namn, gäst, "
    "gästens namn, fullständigt namn, navn, gjest, attendees, delegate, delegates, participant, participants, pupil, "
    "pupils, student, students, teilnehmer, teilnehmende, participante, participantes, schüler, élève, alumno, "
    "imię i nazwisko, nazwisko i imię, gość, goście, osoba, uczestnik",
    "title": "title, prefix, name prefix, salutation, honorific, anrede, titel, civilité, tratamiento, "
    "titolo, aanhef, titteli",
    "first_name": "first name, first, given name, given names, forename, firstname, guest first name, vorname, "
    "prénom, nombre, nome, voornaam, etunimi, förnamn, fornavn, imię",
    "middle_name": "middle name, middle, additional name, additional names",
    "last_name": "last name, last, surname, family name, lastname, guest last name, nachname, familienname, nom, "
    "nom de famille, apellido, apellidos, cognome, apelido, sobrenome, achternaam, sukunimi, efternamn, etternavn, "
    "nazwisko",
    "suffix": "suffix, name suffix",
    "party": "party, household, family, couple, invitation, household name, party name, party id, "
    "household id, household number, group id, invitation group, rsvp group, family group, haushalt, familie, "
    "partie, paar, einladung, foyer, famille, ménage, hogar, familia, famiglia, família, gezin, seurue, perhe, "
    "talous, kotitalous, sällskap, hushåll, familj",
    "groups": "groups, group, group name, category, categories, circle, list, tags, tag, labels, label, "
    "relationship, relation, relationship to couple, relationship to the couple, how we know them, known from, "
    "gruppe, gruppen, kategorie, beziehung, groupe, groupes, catégorie, grupo, grupos, categoría, gruppo, gruppi, "
    "groep, ryhmä, ryhmät, grupp, grupper, grupa, company, company name, firma, entreprise, empresa, class, klasse, "
    "classe, clase, klasa, department, abteilung, team",
    "side": "side, guest of, invited by, whose guest, bride or groom, bride/groom, b/g, seite, côté, lado, "
    "lato, puoli, sida, strona",
    "reply": "reply, rsvp, response, answer, attending, attendance, status, coming, confirmed, rsvp status, "
    "rsvp response, attending status, will attend, is attending, guest status, antwort, zusage, rückmeldung, "
    "teilnahme, kommt, réponse, présence, statut, respuesta, asistencia, asiste, confirmado, confirmación, estado, "
    "risposta, resposta, antwoord, vastaus, osallistuu, tulee, svar, kommer, osa, registration status, booking status, "
    "registration, potwierdzenie, obecność",
    "child": "child, kid, is child, child?, kind, enfant, niño, niña, bambino, criança, kind ja nein, lapsi, barn, "
    "dziecko",
    "kids": "kids, children, number of children, number of kids, no of children, no of kids, # of kids, "
    "# kids, # of children, # children, kids attending, children attending, number of kids attending, "
    "children names, names of children, children's names, kids names, kids' names, kinder, enfants, niños, "
    "bambini, crianças, lapset, lapsia, dzieci",
    "age": "age, age group, adult/child, adult or child, guest type, age category, alter, altersgruppe, "
    "âge, edad, età, idade, leeftijd, ikä, ålder, alder",
    "diet": "diet, special requirements, special req, special reqs, special requests, special needs, requirements, "
    "dietary, food notes, "
    "dietary requirements, dietary requirement, dietary restrictions, dietary restriction, dietary needs, "
    "dietary preference, dietary preferences, dietary notes, dietary info, special diet, food restrictions, "
    "ernährung, diät, régime, régime alimentaire, dieta, dieet, ruokavalio, erityisruokavalio, kost, specialkost",
    "meal": "meal, food, menu, entree, entrée, meal choice, meal selection, meal preference, meal option, "
    "menu choice, dinner choice, main, main course, main meal, food choice, dinner, dinner selection, menü, essen, "
    "repas, plat, comida, ruoka, matönskemål",
    "allergies": "allergies, allergy, food allergies, intolerances, allergien, unverträglichkeiten, alergias, "
    "allergiat, allergier",
    "note": "note, notes, comment, comments, remark, remarks, my notes, guest notes, additional notes, "
    "additional info, notiz, notizen, bemerkung, bemerkungen, kommentar, remarque, remarques, commentaire, nota, "
    "notas, comentario, comentarios, opmerking, huomio, huomautus, huomautukset, lisätiedot, muistiinpano, "
    "anteckning, anteckningar, kommentarer, merknad, uwagi, notatki",
    "email": "email, e-mail, email address, e-mail address, mail, primary email, email 1, e-mail 1 value, "
    "e-mailadresse, courriel, correo, correo electrónico, sähköposti, e-post, epost",
    "phone": "phone, phone number, telephone, mobile, mobile phone, mobile number, cell, cell phone, "
    "cell number, contact number, tel, phone 1 value, telefon, telefonnummer, handy, mobilnummer, téléphone, "
    "portable, teléfono, móvil, telefono, cellulare, telefone, telefoon, puhelin, puhelinnumero",
    "high_chair": "high chair, highchair, high chair needed, hochstuhl, kinderhochstuhl, chaise haute, trona, "
    "seggiolone, kinderstoel, syöttötuoli, barnstol",
    "wheelchair": "wheelchair, wheelchair access, wheelchair user, rollstuhl, fauteuil roulant, silla de ruedas, "
    "sedia a rotelle, rolstoel, pyörätuoli, rullstol",
    "public_name": "shown to guests as, name on card, place card name, name on place card, name on name card, "
    "anzeigename",
    "plus_one": "plus one, +1, +1s, plus ones, plus-one, plus-ones, plus one?, plus one allowed, "
    "plus ones allowed, plus one name, plus-one name, name of plus one, allowed plus one, and guest, "
    "guest of guest, companion, companion name, accompanied by, extra guests, additional guests, bringing, brings, "
    "begleitung, begleitperson, accompagnant, acompañante, accompagnatore, acompanhante, seuralainen, avec, "
    "respektive, följeslagare, osoba towarzysząca",
    "party_size": "party size, party of, total guests, number of guests, no of guests, # of guests, # guests, "
    "number invited, number of guests invited, total invited, total in party, total definitely invited, seats, "
    "number of seats, no of seats, rsvp count, number attending, "
    "no attending, headcount, head count, size of party, number in party, people, how many, "
    "how many people, personen, anzahl, anzahl personen, nombre de personnes, número de personas, aantal personen, "
    "henkilömäärä, antal",
    "other_name": "partner, partner name, partner's name, spouse, spouse name, spouse's name, husband, wife, "
    "significant other, second guest, additional guest, other half, partnerin, conjoint, conjointe, pareja, puoliso",
    "other_title": "partner title, partner's title, spouse title",
    "other_first": "partner first name, partner's first name, spouse first name, second first name",
    "other_last": "partner last name, partner's last name, spouse last name, second last name",
    UNUSED: "timestamp, zeitstempel, horodateur, marca temporal, submitted at, submission date, response id, "
    "invited, invite, file as, photo, address, street, street address, street address 1, "
    "street address 2, street address line 2, street address line 1, address line 1, address line 2, address 1, "
    "address 2, mailing address, apt, apartment, unit, apt/suite, city, town, city/town, state, state/province, "
    "state / region, province, region, county, zip, zip code, postcode, post code, postal code, zip/postal code, "
    "zip / postal code, country, envelope name, name on envelope, outer envelope, inner envelope, addressee, "
    "mailing label, formal name, partner suffix, wedding day - gift received, gift, gifts, gift received, "
    "thank you, thank you sent, thank-you sent, thank you note sent, thank you card, save the date, "
    "save the date sent, std sent, invitation sent, invite sent, invitation mailed, date sent, rsvp date, "
    "date received, table, table no, table number, table name, table #, seat, seat number, seating, seat #, id, "
    "guest id, no, number, #, hotel, needs hotel, hotel room, room, accommodation, shuttle, transport, "
    "song request, website, url, organization, organisation, job title, birthday, gender, sex, nickname, "
    "list a/b, a list/b list, adresse, straße, strasse, plz, ort, stadt, land, tisch, geschenk, rue, ville, "
    "code postal, pays, adresse postale, dirección, ciudad, osoite, katuosoite, postinumero, kaupunki, pöytä, "
    "adress, postnummer, ort, nocleg, stolik, paid, bezahlt, payé, pagado",
}
# What is between two words of a heading that mean the same, as in “Family / Household”.
BETWEEN_HEADINGS = re.compile(r"/|\b(?:or|oder|ou|eller|tai)\b")
# In a long heading, such as a question of a form, one of these says what it is about.
ABOUT = {
    "allergies": re.compile(r"\ballerg|\bintoleran"),
    "diet": re.compile(r"\bdiet"),
    "meal": re.compile(r"\bmeals?\b|\bentrees?\b|\bmenu\b"),
    "reply": re.compile(
        r"\brsvp\b|\battend(?:s|ing|ance)?\b|\b(?:can|will) you (?:make it|come|join|be there|be joining|be coming)\b"
        r"|\bare you (?:coming|able to (?:come|join|make it))\b"
    ),
    "plus_one": re.compile(r"\bplus[ -]ones?\b"),
    "kids": re.compile(r"\b(?:how many|number of) (?:kids|children)\b"),
    "party_size": re.compile(r"\b(?:how many|number of) (?:people|guests|persons|adults|seats|of you)\b"),
    "email": re.compile(r"\be-?mail\b"),
    "phone": re.compile(r"\bphone\b|\bmobile\b"),
    UNUSED: re.compile(r"\baddress\b|\bthank|\bgift|\bsave the date|\binvit|\borgani[sz]ation|\bdate\b"),
    "name": re.compile(
        r"\b(?:full|your|guest|guests'|attendee) names?\b|\bfirst and last names?\b"
        r"|\bnames? of (?:the |all )?(?:guests?|attendees?|people|everyone)\b"
    ),
    "note": re.compile(r"\banything else\b|\bcomments?\b|\bmessage (?:for|to)\b"),
}
ABOUT_NOTHING = re.compile(r"\bphonetic\b| label$")
CAMEL_CASE = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])")
# “Wedding Day - RSVP”, “RSVP (dinner)”, “RSVP Reception”
OF_ONE_EVENT = re.compile(r"(?:.+ [-–—] )?(rsvp|meal choice|meal|entree|attending)(?: .+)?")
NUMBERED = re.compile(
    r"(?:additional )?(guest|person|name|invitee|adult|member|attendee|child|kid)s? ?(?:no )?#? ?([0-9]{1,2})(?: (.+))?"
)
OF_FIRST = re.compile(r"(?:attendee|delegate|participant|guest|invitee|pupil|student|registrant|contact)(?:'?s)? (.+)")
OF_PARENT = re.compile(r"(?:parent|guardian|carer|parent guardian|mother|father)s?(?: [0-9])?(?:'?s)?(?: name)?")
OF_OTHER = re.compile(r"(?:partner|spouse|plus one|second guest|other guest)(?: ?'?s)? (.+)")
OTHERS = {
    "name": "other_name",
    "first_name": "other_first",
    "title": "other_title",
    "last_name": "other_last",
    "reply": "other_reply",
    "meal": "other_meal",
    "diet": "other_diet",
}
CHILDREN = {"name": "child_name", "first_name": "child_first", "last_name": "child_last"}
FIELD_OF = by_word(HEADINGS)


def read_heading(text: str) -> list[str]:
    """Return the field that a heading means; where two words are joined, one for each, "" for what is unknown."""
    word = plain(CAMEL_CASE.sub(" ", text) if not text.isupper() else text)
    whole = _known(word) or _of_another(word) or _of_one_event(word)
    parts = [word] if whole else BETWEEN_HEADINGS.split(word)
    return [whole or _known(part) for part in parts]


def guess_heading(text: str) -> str:
    """Return what the words of a heading are about, if it is not known as a whole."""
    word = plain(text)
    if ABOUT_NOTHING.search(word):
        return UNUSED
    return next((field for field, about in ABOUT.items() if about.search(word)), "")


def _known(word: str) -> str:
    return FIELD_OF.get(word) or FIELD_OF.get(_without_signs(word), "")


def _of_one_event(word: str) -> str:
    found = OF_ONE_EVENT.fullmatch(word)
    return FIELD_OF.get(found[1], "") if found else ""


def _of_another(word: str) -> str:
    """Return what is said of the second guest of a row, of a child or of a partner: “Guest 2”, “Child 1 First Name”."""
    bare = _without_signs(word)
    if found := NUMBERED.fullmatch(bare):
        of_whom, number, what = found.groups()
        field = FIELD_OF.get(what, "") if what else "name"
        if of_whom in ("child", "kid"):
            return CHILDREN.get(field, UNUSED if field else "")
        return field if int(number) == 1 else OTHERS.get(field, UNUSED if field else "")
    if OF_PARENT.fullmatch(bare):
        return "other_name"
    if (found := OF_FIRST.fullmatch(bare)) and found[1] in FIELD_OF:
        return FIELD_OF[found[1]]
    found = OF_OTHER.fullmatch(bare)
    field = FIELD_OF.get(found[1], "") if found else ""
    return OTHERS.get(field, UNUSED if field else "")


def _without_signs(word: str) -> str:
    return " ".join(re.sub(r"[^\w\s+#'’]", " ", word).replace("’", "'").split())
