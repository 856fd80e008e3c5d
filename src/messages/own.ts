/** What callers are told about tools of one's own where the tool itself has no words for it. */
export const OWN_MESSAGES = {
  "own.failed": {
    en: "The tool failed without saying why",
    es: "La herramienta falló sin decir por qué",
    fr: "L'outil a échoué sans dire pourquoi",
    zh: "工具失败，且未说明原因",
  },
  "own.unfitAnswer": {
    en: "The tool ran, but its answer cannot be passed on ({what})",
    es: "La herramienta se ejecutó, pero su respuesta no se puede transmitir ({what})",
    fr: "L'outil a été exécuté, mais sa réponse ne peut pas être transmise ({what})",
    zh: "工具已执行，但其返回值无法传递（{what}）",
  },
} as const;
