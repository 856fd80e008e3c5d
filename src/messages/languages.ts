/** The languages, one line each: a language is a folder, and this is the only list of them. */
export { en } from "./en/index.ts";
export { es } from "./es/index.ts";
export { fr } from "./fr/index.ts";
export { zh } from "./zh/index.ts";
