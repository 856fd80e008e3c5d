/** Texts of the plain page at `/`, and what a client is told at the handshake. */
export const PAGE_MESSAGES = {
  "page.instructions": {
    en: "Zaguan gathers the tools of several sources. When two sources offer a tool of the same name, the second is listed as server__name.",
    es: "Zaguan reúne las herramientas de varias fuentes. Si dos fuentes ofrecen una del mismo nombre, la segunda aparece como servidor__nombre.",
    fr: "Zaguan réunit les outils de plusieurs sources. Si deux sources offrent un outil du même nom, le second est listé serveur__nom.",
    zh: "Zaguan 汇集多个来源的工具。若两个来源提供同名工具，第二个将以 服务器__名称 的形式列出。",
  },
  "page.what": {
    en: "One process through which every tool of the house is reached.",
    es: "Un solo proceso por el que se llega a todas las herramientas de la casa.",
    fr: "Un seul processus par lequel on accède à tous les outils de la maison.",
    zh: "一个进程，通向家中的每一个工具。",
  },
  "page.running": {
    en: "Attached now: {sources} source(s), {tools} tool(s).",
    es: "Conectadas ahora: {sources} fuente(s), {tools} herramienta(s).",
    fr: "Raccordés : {sources} source(s), {tools} outil(s).",
    zh: "当前接入：{sources} 个来源，{tools} 个工具。",
  },
  "page.doors": { en: "Doors", es: "Puertas", fr: "Portes", zh: "入口" },
  "page.doorMcp": {
    en: "official MCP, Streamable HTTP, revisions of 2025",
    es: "MCP oficial, Streamable HTTP, revisiones de 2025",
    fr: "MCP officiel, Streamable HTTP, révisions de 2025",
    zh: "官方 MCP，Streamable HTTP，2025 年各版本",
  },
  "page.doorBare": {
    en: "tools/list and tools/call without a handshake",
    es: "tools/list y tools/call sin presentación previa",
    fr: "tools/list et tools/call sans poignée de main",
    zh: "无需握手即可调用 tools/list 和 tools/call",
  },
  "page.doorStdio": {
    en: "for clients that start a program",
    es: "para clientes que arrancan un programa",
    fr: "pour les clients qui lancent un programme",
    zh: "供启动子程序的客户端使用",
  },
  "page.lineName": { en: "Lines", es: "Líneas", fr: "Lignes", zh: "行协议" },
  "page.doorLine": {
    en: "one JSON message per line, as in the home simulator",
    es: "un mensaje JSON por línea, como en el simulador de domótica",
    fr: "un message JSON par ligne, comme dans le simulateur de maison",
    zh: "每行一条 JSON 消息，与家居模拟器相同",
  },
  "page.healthName": { en: "Health", es: "Salud", fr: "Santé", zh: "健康" },
  "page.doorHealth": {
    en: "whether the hub and its sources are up",
    es: "si el zaguán y sus fuentes están en pie",
    fr: "si le hub et ses sources sont debout",
    zh: "中枢及各来源是否正常",
  },
  "page.connect": { en: "Connect", es: "Conectar", fr: "Se connecter", zh: "连接" },
  "page.paste": {
    en: "Paste this into your client's configuration:",
    es: "Pegue esto en la configuración de su cliente:",
    fr: "Collez ceci dans la configuration de votre client :",
    zh: "将以下内容粘贴到客户端配置中：",
  },
  "page.try": {
    en: "Or switch on a lamp of the simulated house from a terminal:",
    es: "O encienda una luz de la casa simulada desde un terminal:",
    fr: "Ou allumez une lampe de la maison simulée depuis un terminal :",
    zh: "或在终端中打开模拟房屋里的一盏灯：",
  },
  "page.languages": {
    en: "This page follows your browser's language:",
    es: "Esta página sigue el idioma de su navegador:",
    fr: "Cette page suit la langue de votre navigateur :",
    zh: "本页面跟随浏览器语言：",
  },
} as const;
