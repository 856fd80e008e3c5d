/** The id that Home Assistant makes of a name: "L'été à la maison" → `l_ete_a_la_maison`. */
const LIGATURES: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", þ: "th" };

export function slug(name: string): string {
  const plain = name.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  const latin = plain.replace(/[ßæœøłđþ]/g, (letter) => LIGATURES[letter] ?? letter);
  return latin.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || "unknown";
}
