// Finds a name by any part of it, without accents and capitals, as app/sharing/door/search.py does.

const LETTERS = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ı: "i", ß: "ss" };

export const plain = (text) =>
  text
    .toLowerCase()
    .replace(/[øłđðþæœıß]/g, (letter) => LETTERS[letter])
    .replace(/['’ʼ`]/g, "") // people type oconnor
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

// Those with every word of the text; where all of them begin a part of the name, first.
export function findByName(guests, text) {
  const words = plain(text).split(" ").filter(Boolean);
  const found = guests.filter((guest) => words.every((word) => guest.plain.includes(word)));
  const begins = (guest) => words.every((word) => ` ${guest.plain}`.includes(` ${word}`));
  return [...found.filter(begins), ...found.filter((guest) => !begins(guest))];
}
