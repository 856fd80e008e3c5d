/** Texts about the hub itself: what it says of itself to clients, and what stands where a page would. */
export const PAGE_MESSAGES = {
  "page.instructions": {
    en: "Zaguan gathers the tools of several sources. When two sources offer a tool of the same name, the second is listed as server__name.",
    es: "Zaguan reúne las herramientas de varias fuentes. Si dos fuentes ofrecen una del mismo nombre, la segunda aparece como servidor__nombre.",
    fr: "Zaguan réunit les outils de plusieurs sources. Si deux sources offrent un outil du même nom, le second est listé serveur__nom.",
    zh: "Zaguan 汇集多个来源的工具。若两个来源提供同名工具，第二个将以 服务器__名称 的形式列出。",
  },
  "registry.refreshed": {
    en: "Tools refreshed successfully",
    es: "Herramientas refrescadas exitosamente",
    fr: "Outils rafraîchis avec succès",
    zh: "工具刷新成功",
  },
  "page.docsMissing": {
    en: "The viewer of the API's description was not installed (a development dependency); the description itself is at {link}.",
    es: "El visor de la descripción de la API no está instalado (es una dependencia de desarrollo); la descripción está en {link}.",
    fr: "Le lecteur de la description de l'API n'est pas installé (dépendance de développement) ; la description est à {link}.",
    zh: "API 描述的查看器未安装（属于开发依赖）；描述本身位于 {link}。",
  },
} as const;
