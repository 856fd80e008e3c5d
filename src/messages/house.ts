/** Texts of the simulated house: seed 000's Spanish to the letter, and the other three languages. */
export const HOUSE_MESSAGES = {
  "house.unknownLight": {
    en: "Light '{name}' not found",
    es: "Luz '{name}' no encontrada",
    fr: "Lampe '{name}' introuvable",
    zh: "未找到灯 '{name}'",
  },
} as const;
