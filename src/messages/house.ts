/** Texts of the simulated house and of its line protocol: seed 000's Spanish to the letter, and the other languages. */
export const HOUSE_MESSAGES = {
  "house.unknownLight": {
    en: "Light '{name}' not found",
    es: "Luz '{name}' no encontrada",
    fr: "Lampe '{name}' introuvable",
    zh: "未找到灯 '{name}'",
  },
  "house.get_presence": {
    en: "Tells the state of the presence detector",
    es: "Obtiene el estado del detector de presencia",
    fr: "Donne l'état du détecteur de présence",
    zh: "获取人员检测器的状态",
  },
  "house.get_alarm_status": {
    en: "Tells whether the alarm is armed",
    es: "Consulta si la alarma está armada",
    fr: "Indique si l'alarme est armée",
    zh: "查询警报是否已布防",
  },
  "house.list_lights_on": {
    en: "Lists the names of the lights that are on",
    es: "Lista los nombres de las luces que están encendidas",
    fr: "Énumère les lampes allumées",
    zh: "列出已打开的灯的名称",
  },
  "house.set_light_state": {
    en: "Turns one light on or off",
    es: "Enciende o apaga una luz específica",
    fr: "Allume ou éteint une lampe",
    zh: "打开或关闭指定的灯",
  },
  "house.set_alarm_state": {
    en: "Arms or disarms the alarm",
    es: "Arma o desarma la alarma",
    fr: "Arme ou désarme l'alarme",
    zh: "布防或撤防警报",
  },
  "house.get_all_states": {
    en: "Gives a complete snapshot of the house's state",
    es: "Obtiene un snapshot completo del estado del sistema",
    fr: "Donne un instantané complet de l'état de la maison",
    zh: "获取整个系统状态的完整快照",
  },
  "house.parameter.name": {
    en: "Name of the light",
    es: "Nombre de la luz",
    fr: "Nom de la lampe",
    zh: "灯的名称",
  },
  "house.parameter.on": {
    en: "true to turn it on, false to turn it off",
    es: "true para encender, false para apagar",
    fr: "true pour allumer, false pour éteindre",
    zh: "true 表示打开，false 表示关闭",
  },
  "house.parameter.armed": {
    en: "true to arm, false to disarm",
    es: "true para armar, false para desarmar",
    fr: "true pour armer, false pour désarmer",
    zh: "true 表示布防，false 表示撤防",
  },
  /** The line door's own wording of error.INTERNAL: the seed's Spanish has no place for a reference. */
  "line.internal": {
    en: "Internal error (reference {reference})",
    es: "Error interno del servidor",
    fr: "Erreur interne (référence {reference})",
    zh: "内部错误（编号 {reference}）",
  },
} as const;
