/** What is said of tools to those who call them by plain HTTP. */
export const API_TOOLS_MESSAGES = {
  "apiTools.failed": {
    en: "The tool failed and did not say why",
    es: "La herramienta falló y no dijo por qué",
    fr: "L'outil a échoué sans dire pourquoi",
    zh: "工具执行失败，且未说明原因",
  },
} as const;
