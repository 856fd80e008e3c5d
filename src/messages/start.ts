/** Texts of starting and stopping. */
export const START_MESSAGES = {
  "start.portInUse": {
    en: "Port {port} on {host} is in use (another zaguan?); stop what uses it or choose another with --port",
    es: "El puerto {port} en {host} está ocupado (¿otro zaguan?); pare lo que lo usa o elija otro con --port",
    fr: "Le port {port} sur {host} est occupé (un autre zaguan ?) ; arrêtez ce qui l'utilise ou choisissez-en un autre avec --port",
    zh: "{host} 上的端口 {port} 已被占用（另一个 zaguan？）；请停止占用者，或用 --port 另选端口",
  },
  "start.cannotListen": {
    en: "Cannot listen on {host}:{port}: {reason}",
    es: "No se puede escuchar en {host}:{port}: {reason}",
    fr: "Impossible d'écouter sur {host}:{port} : {reason}",
    zh: "无法监听 {host}:{port}：{reason}",
  },
  "start.needsKey": {
    en: "Listening on {host} is open to others and needs a key first: run 'zaguan key create NAME' (or listen on 127.0.0.1)",
    es: "Escuchar en {host} queda abierto a otros y antes necesita una clave: ejecute 'zaguan key create NOMBRE' (o escuche en 127.0.0.1)",
    fr: "Écouter sur {host} est ouvert aux autres et exige d'abord une clé : lancez 'zaguan key create NOM' (ou écoutez sur 127.0.0.1)",
    zh: "监听 {host} 会对外开放，需要先有密钥：请运行 'zaguan key create 名称'（或监听 127.0.0.1）",
  },
  "start.circle": {
    en: "This hub was started by a hub with the same configuration and data folder, which is a circle: give it others with --config and --data, or remove the server that starts it",
    es: "Este hub fue iniciado por un hub con la misma configuración y carpeta de datos, lo que es un círculo: dele otras con --config y --data, o quite el servidor que lo inicia",
    fr: "Ce hub a été lancé par un hub qui a la même configuration et le même dossier de données, ce qui est un cercle : donnez-lui-en d'autres avec --config et --data, ou retirez le serveur qui le lance",
    zh: "此 hub 由使用相同配置和数据目录的 hub 启动，形成了循环：请用 --config 和 --data 另行指定，或移除启动它的服务器",
  },
  "start.store": {
    en: "Cannot open the database in the data folder: {reason}",
    es: "No se puede abrir la base de datos de la carpeta de datos: {reason}",
    fr: "Impossible d'ouvrir la base du dossier de données : {reason}",
    zh: "无法打开数据目录中的数据库：{reason}",
  },
  "start.secrets": {
    en: "Cannot open the key for stored credentials: {reason}",
    es: "No se puede abrir la clave de las credenciales guardadas: {reason}",
    fr: "Impossible d'ouvrir la clé des identifiants enregistrés : {reason}",
    zh: "无法打开已存凭据的密钥：{reason}",
  },
  "start.unknownServer": {
    en: "There is no server named '{name}'; known: {known}",
    es: "No hay ningún servidor llamado '{name}'; conocidos: {known}",
    fr: "Aucun serveur nommé '{name}' ; connus : {known}",
    zh: "没有名为 '{name}' 的服务器；已知：{known}",
  },
} as const;
