/** Texts of the plain page at `/`. */
export const PAGE_MESSAGES = {
  "page.placeholder": { en: "", es: "", fr: "", zh: "" },
} as const;
