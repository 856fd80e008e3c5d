/**
 * Why a server could not be had, as the log, `lastError` and the list of attempts say it. These texts are kept in English
 * (in the store too) and put into another language where somebody reads them, so that each row's English is also what the
 * others are found by: no two may fit the same text.
 */
import type { MessageRow } from "./catalogue.ts";

export const REASON_MESSAGES = {
  "reason.noWay": {
    en: "no way led to it. {attempts}",
    es: "ningún camino llevó hasta él. {attempts}",
    fr: "aucun chemin n'y mène. {attempts}",
    zh: "没有任何方式能连上它。{attempts}",
  },
  "reason.keepsFailing": {
    en: "keeps failing: {reason}",
    es: "falla una y otra vez: {reason}",
    fr: "échoue sans cesse : {reason}",
    zh: "一再失败：{reason}",
  },
  "reason.notReady": {
    en: "did not become ready within {seconds} s",
    es: "no estuvo listo en {seconds} s",
    fr: "n'était pas prêt au bout de {seconds} s",
    zh: "在 {seconds} 秒内没有就绪",
  },
  "reason.connected": { en: "connected", es: "conectado", fr: "connecté", zh: "已连接" },
  "reason.tools": { en: "{count} tools", es: "{count} herramientas", fr: "{count} outils", zh: "{count} 个工具" },
  "reason.list": {
    en: "it did not list its tools: {reason}",
    es: "no dio la lista de sus herramientas: {reason}",
    fr: "il n'a pas donné la liste de ses outils : {reason}",
    zh: "它没有列出工具：{reason}",
  },
  "reason.status": {
    en: "it answered with HTTP {status}",
    es: "respondió con HTTP {status}",
    fr: "il a répondu par HTTP {status}",
    zh: "它回答了 HTTP {status}",
  },
  "reason.rpc": {
    en: "it answered with JSON-RPC error {code}",
    es: "respondió con el error JSON-RPC {code}",
    fr: "il a répondu par l'erreur JSON-RPC {code}",
    zh: "它回答了 JSON-RPC 错误 {code}",
  },
  "reason.noResult": {
    en: "its answer ended without a result",
    es: "su respuesta terminó sin resultado",
    fr: "sa réponse s'est terminée sans résultat",
    zh: "它的应答没有结果就结束了",
  },
  "reason.dropped": {
    en: "it closed the connection without an answer",
    es: "cerró la conexión sin responder",
    fr: "il a fermé la connexion sans répondre",
    zh: "它没有应答就关闭了连接",
  },
  "reason.silent": {
    en: "it did not answer within {seconds} s",
    es: "no respondió en {seconds} s",
    fr: "il n'a pas répondu en {seconds} s",
    zh: "它在 {seconds} 秒内没有应答",
  },
  "reason.credentials": {
    en: "it refused our credentials (HTTP {status}): check the key or the headers that are set for it",
    es: "rechazó nuestras credenciales (HTTP {status}): compruebe la clave o las cabeceras que tiene puestas",
    fr: "il a refusé nos identifiants (HTTP {status}) : vérifiez la clé ou les en-têtes qui lui sont donnés",
    zh: "它拒绝了我们的凭据（HTTP {status}）：请检查为它设置的密钥或请求头",
  },
  "reason.redirect": {
    en: "it redirects to {location} (HTTP {status}), which is not followed",
    es: "redirige a {location} (HTTP {status}), que no se sigue",
    fr: "il redirige vers {location} (HTTP {status}), ce qui n'est pas suivi",
    zh: "它重定向到 {location}（HTTP {status}），不予跟随",
  },
  "reason.noStream": {
    en: "it opened no event stream",
    es: "no abrió ningún flujo de eventos",
    fr: "il n'a pas ouvert de flux d'événements",
    zh: "它没有打开事件流",
  },
  "reason.noStreamStatus": {
    en: "it opened no event stream (HTTP {status})",
    es: "no abrió ningún flujo de eventos (HTTP {status})",
    fr: "il n'a pas ouvert de flux d'événements (HTTP {status})",
    zh: "它没有打开事件流（HTTP {status}）",
  },
  "reason.noStreamWithin": {
    en: "it opened no stream within {seconds} s",
    es: "no abrió ningún flujo en {seconds} s",
    fr: "il n'a ouvert aucun flux en {seconds} s",
    zh: "它在 {seconds} 秒内没有打开流",
  },
  "reason.noWebSocket": {
    en: "it opened no WebSocket (HTTP {status})",
    es: "no abrió ningún WebSocket (HTTP {status})",
    fr: "il n'a pas ouvert de WebSocket (HTTP {status})",
    zh: "它没有打开 WebSocket（HTTP {status}）",
  },
  "reason.noList": {
    en: "its answer is no list of tools",
    es: "su respuesta no es una lista de herramientas",
    fr: "sa réponse n'est pas une liste d'outils",
    zh: "它的应答不是工具列表",
  },
  "reason.unknownVersion": {
    en: "it speaks an unknown protocol version: {version}",
    es: "habla una versión desconocida del protocolo: {version}",
    fr: "il parle une version inconnue du protocole : {version}",
    zh: "它使用未知的协议版本：{version}",
  },
  "reason.noVersion": {
    en: "it speaks no protocol version that we know",
    es: "no habla ninguna versión del protocolo que conozcamos",
    fr: "il ne parle aucune version du protocole que nous connaissions",
    zh: "它不使用我们认识的任何协议版本",
  },
  "reason.noJson": {
    en: "its answer is no JSON",
    es: "su respuesta no es JSON",
    fr: "sa réponse n'est pas du JSON",
    zh: "它的应答不是 JSON",
  },
  "reason.noType": {
    en: "its answer is neither JSON nor an event stream",
    es: "su respuesta no es JSON ni un flujo de eventos",
    fr: "sa réponse n'est ni du JSON ni un flux d'événements",
    zh: "它的应答既不是 JSON 也不是事件流",
  },
  "reason.refused": {
    en: "connection refused",
    es: "conexión rechazada",
    fr: "connexion refusée",
    zh: "连接被拒绝",
  },
  "reason.noConnection": {
    en: "no connection in time",
    es: "no hubo conexión a tiempo",
    fr: "pas de connexion à temps",
    zh: "未能及时建立连接",
  },
  "reason.noAddress": {
    en: "its name has no address",
    es: "su nombre no tiene dirección",
    fr: "son nom n'a pas d'adresse",
    zh: "它的名称没有地址",
  },
  "reason.tls": {
    en: "no secure connection (TLS)",
    es: "no hay conexión segura (TLS)",
    fr: "pas de connexion sécurisée (TLS)",
    zh: "无法建立安全连接（TLS）",
  },
} as const;
REASON_MESSAGES satisfies Readonly<Record<string, MessageRow>>;

type ReasonKey = keyof typeof REASON_MESSAGES;

export interface FoundReason {
  readonly key: ReasonKey;
  readonly params: Readonly<Record<string, string>>;
}

const NUMBERS: ReadonlySet<string> = new Set(["count", "status", "code", "seconds"]);
const PATTERNS = Object.entries(REASON_MESSAGES).map(([key, { en }]) => [key as ReasonKey, patternOf(en)] as const);

/** The row that a reason in English is of, with what stands in it; undefined if it is of none. */
export function findReason(text: string): FoundReason | undefined {
  for (const [key, pattern] of PATTERNS) {
    const params = pattern.exec(text);
    if (params) return { key, params: params.groups ?? {} };
  }
  return undefined;
}

function patternOf(template: string): RegExp {
  const parts = template.split(/\{(\w+)\}/);
  const source = parts
    .map((part, place) =>
      place % 2 === 1 ? `(?<${part}>${NUMBERS.has(part) ? "-?[\\d.]+" : ".*"})` : part.replace(/[.()+?]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`^${source}$`, "s");
}
