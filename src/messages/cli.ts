/** Texts of the command line. */
export const CLI_MESSAGES = {
  "cli.placeholder": { en: "", es: "", fr: "", zh: "" },
} as const;
