/** What a room is for, as far as its name says: in the languages of the house, with or without accents. */
export type RoomKind =
  | "bathroom"
  | "bedroom"
  | "dining"
  | "garage"
  | "kitchen"
  | "living"
  | "office"
  | "other"
  | "outside"
  | "passage";

/** The first that fits counts: a "salle de bain" is no "sala", a "cuarto de baño" no bedroom. */
const WORDS: readonly (readonly [RoomKind, RegExp])[] = [
  ["bathroom", /bano|aseo|bath|toilet|shower|ducha|douche|\bwc\b|salle de bain|salle d.eau|浴室|卫生间|洗手间|厕所/],
  ["dining", /comedor|dining|salle a manger|餐厅|饭厅/],
  ["kitchen", /cocina|kitchen|cuisine|厨房/],
  ["bedroom", /dormitorio|habitacion|alcoba|cuarto|bedroom|chambre|nursery|卧室|睡房/],
  ["garage", /garage|garaje|cochera|carport|车库/],
  ["office", /oficina|despacho|estudio|office|study|bureau|书房|办公/],
  ["outside", /jardin|garden|terraza|terrac|terrass|patio|balc|porch|yard|piscina|pool|花园|阳台|院子|露台/],
  ["passage", /pasillo|entrada|recibidor|zaguan|escalera|hall|corridor|entrance|stairs|couloir|entree|走廊|玄关|门厅/],
  ["living", /salon|\bsala\b|estar|living|lounge|sejour|客厅|起居/],
];

/** The relative width of each kind of room. */
const SIZES: Readonly<Record<RoomKind, number>> = {
  bathroom: 0.8,
  bedroom: 1.15,
  dining: 1.2,
  garage: 1.35,
  kitchen: 1.2,
  living: 1.5,
  office: 1,
  other: 1,
  outside: 1.3,
  passage: 0.85,
};

export function kindOf(name: string): RoomKind {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return WORDS.find(([, words]) => words.test(plain))?.[0] ?? "other";
}

export function sizeOf(kind: RoomKind): number {
  return SIZES[kind];
}
