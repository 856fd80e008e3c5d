/** What the bridge says. The English is seed 003's to the letter where the seed has it. */
export const BRIDGE_MESSAGES = {
  "bridge.sessionExpired": {
    en: "Session expired",
    es: "Sesión caducada",
    fr: "Session expirée",
    zh: "会话已过期",
  },
  "bridge.suggestion": {
    en: "Call /mcp/initialize to create a new session",
    es: "Llame a /mcp/initialize para crear otra sesión",
    fr: "Appelez /mcp/initialize pour créer une nouvelle session",
    zh: "请调用 /mcp/initialize 创建新会话",
  },
  "bridge.invalidVersion": {
    en: "Invalid protocol version",
    es: "Versión de protocolo no válida",
    fr: "Version de protocole invalide",
    zh: "协议版本无效",
  },
  "bridge.noSessions": {
    en: "No MCP sessions available",
    es: "No hay sesiones MCP disponibles",
    fr: "Aucune session MCP disponible",
    zh: "没有可用的 MCP 会话",
  },
  "bridge.needsSession": {
    en: "Header X-Session-ID is required: call /mcp/initialize first, and send the session_id that it answers with",
    es: "Falta la cabecera X-Session-ID: llame antes a /mcp/initialize y envíe el session_id de su respuesta",
    fr: "L'en-tête X-Session-ID est requis : appelez d'abord /mcp/initialize et envoyez le session_id de sa réponse",
    zh: "缺少请求头 X-Session-ID：请先调用 /mcp/initialize，并发送其返回的 session_id",
  },
  "bridge.sessionIdForm": {
    en: "Invalid params: session_id must be 1 to 128 letters, digits or any of . _ : -",
    es: "Parámetros inválidos: session_id debe tener de 1 a 128 letras, cifras o alguno de . _ : -",
    fr: "Paramètres invalides : session_id doit avoir de 1 à 128 lettres, chiffres ou l'un de . _ : -",
    zh: "参数无效：session_id 必须为 1 至 128 个字母、数字或 . _ : - 之一",
  },
  "bridge.sessionTaken": {
    en: "This session_id is not available; choose another, or none",
    es: "Este session_id no está disponible; elija otro, o ninguno",
    fr: "Ce session_id n'est pas disponible ; choisissez-en un autre, ou aucun",
    zh: "该 session_id 不可用；请另选一个，或不指定",
  },
  "bridge.otherMethod": {
    en: "Invalid request: method '{method}' does not belong here; this path is for '{expected}'",
    es: "Mensaje inválido: el método '{method}' no corresponde; esta ruta es para '{expected}'",
    fr: "Requête invalide : la méthode '{method}' n'a pas sa place ici ; ce chemin est pour '{expected}'",
    zh: "无效的请求：方法 '{method}' 不属于此处；该路径用于 '{expected}'",
  },
} as const;
