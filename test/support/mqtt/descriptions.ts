/**
 * Messages as zigbee2mqtt and devices of Home Assistant's discovery send them, written by hand after the documentation of
 * both. Topics are those of a small flat.
 */

/** Access: 1 it tells, 2 it can be set, 4 it can be asked. */
const feature = (type: string, name: string, access: number, more: object = {}) => ({
  type,
  name,
  property: name,
  label: name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase()),
  access,
  ...more,
});

const LINK_QUALITY = feature("numeric", "linkquality", 1, {
  unit: "lqi",
  value_min: 0,
  value_max: 255,
  category: "diagnostic",
});
const ON_OFF = { value_on: "ON", value_off: "OFF", value_toggle: "TOGGLE" };

const device = (ieee_address: string, friendly_name: string, model: string, vendor: string, exposes: object[]) => ({
  ieee_address,
  friendly_name,
  type: "Router",
  network_address: 4660,
  supported: true,
  disabled: false,
  interview_completed: true,
  power_source: "Mains (single phase)",
  definition: { model, vendor, description: model, exposes: [...exposes, LINK_QUALITY], options: [] },
});

export const LAMP_ADDRESS = "0x00158d0001a2b3c4";

/** What `zigbee2mqtt/bridge/devices` holds. */
export const BRIDGE_DEVICES: readonly object[] = [
  {
    ieee_address: "0x00124b0014d9ffff",
    type: "Coordinator",
    friendly_name: "Coordinator",
    network_address: 0,
    supported: true,
    disabled: false,
    definition: null,
  },
  device(LAMP_ADDRESS, "Kitchen lamp", "LED1924G9", "IKEA", [
    {
      type: "light",
      features: [
        feature("binary", "state", 7, ON_OFF),
        feature("numeric", "brightness", 7, { value_min: 0, value_max: 254 }),
        feature("numeric", "color_temp", 7, { unit: "mired", value_min: 153, value_max: 500 }),
        {
          ...feature("composite", "color_xy", 7),
          property: "color",
          features: [feature("numeric", "x", 7), feature("numeric", "y", 7)],
        },
      ],
    },
    feature("enum", "effect", 2, { values: ["blink", "breathe", "okay"] }),
    feature("enum", "power_on_behavior", 7, { values: ["off", "on", "previous"], category: "config" }),
  ]),
  device("0x00158d0002aaaaaa", "Bathroom/sensor", "WSDCGQ11LM", "Aqara", [
    feature("numeric", "temperature", 1, { unit: "°C" }),
    feature("numeric", "humidity", 1, { unit: "%" }),
    feature("numeric", "battery", 1, { unit: "%", value_min: 0, value_max: 100, category: "diagnostic" }),
  ]),
  device("0x00158d0003bbbbbb", "Front door", "YRD426NRSC", "Yale", [
    {
      type: "lock",
      features: [
        feature("binary", "state", 7, { value_on: "LOCK", value_off: "UNLOCK" }),
        feature("enum", "lock_state", 1, { values: ["not_fully_locked", "locked", "unlocked"] }),
      ],
    },
    feature("binary", "contact", 1, { value_on: false, value_off: true }),
  ]),
  device("0x00158d0004cccccc", "Bedroom blind", "E1757", "IKEA", [
    {
      type: "cover",
      features: [
        feature("enum", "state", 3, { values: ["OPEN", "CLOSE", "STOP"] }),
        feature("numeric", "position", 7, { unit: "%", value_min: 0, value_max: 100 }),
      ],
    },
  ]),
  device("0x00158d0005dddddd", "Office heating", "SPZB0001", "Eurotronic", [
    {
      type: "climate",
      features: [
        feature("numeric", "occupied_heating_setpoint", 7, {
          unit: "°C",
          value_min: 5,
          value_max: 30,
          value_step: 0.5,
        }),
        feature("numeric", "local_temperature", 5, { unit: "°C" }),
        feature("enum", "system_mode", 7, { values: ["off", "auto", "heat"] }),
      ],
    },
  ]),
  device("0x00158d0006eeeeee", "Wall switch", "QBKG12LM", "Aqara", [
    { type: "switch", endpoint: "left", features: [leftOrRight("left")] },
    { type: "switch", endpoint: "right", features: [leftOrRight("right")] },
  ]),
];

function leftOrRight(endpoint: string) {
  return {
    ...feature("binary", "state", 7, ON_OFF),
    property: `state_${endpoint}`,
    endpoint,
    label: `State ${endpoint}`,
  };
}

export const LAMP_STATE: object = {
  state: "ON",
  brightness: 127,
  color_temp: 370,
  color_mode: "color_temp",
  color: { x: 0.46, y: 0.41 },
  linkquality: 120,
  power_on_behavior: "previous",
};

/** A lamp of zigbee2mqtt as zigbee2mqtt describes it to Home Assistant, in its older way, one entity at a time. */
export const LAMP_FOR_HOME_ASSISTANT: readonly (readonly [topic: string, config: object])[] = [
  [
    `homeassistant/light/${LAMP_ADDRESS}/light/config`,
    {
      availability: [{ topic: "zigbee2mqtt/bridge/state", value_template: "{{ value_json.state }}" }],
      brightness: true,
      brightness_scale: 254,
      command_topic: "zigbee2mqtt/Kitchen lamp/set",
      device: { identifiers: [`zigbee2mqtt_${LAMP_ADDRESS}`], manufacturer: "IKEA", name: "Kitchen lamp" },
      max_mireds: 500,
      min_mireds: 153,
      name: null,
      object_id: "kitchen_lamp",
      origin: { name: "Zigbee2MQTT", sw: "2.1.0" },
      schema: "json",
      state_topic: "zigbee2mqtt/Kitchen lamp",
      supported_color_modes: ["xy", "color_temp"],
      unique_id: `${LAMP_ADDRESS}_light_zigbee2mqtt`,
    },
  ],
  [
    `homeassistant/sensor/${LAMP_ADDRESS}/linkquality/config`,
    {
      device: { identifiers: [`zigbee2mqtt_${LAMP_ADDRESS}`], name: "Kitchen lamp" },
      enabled_by_default: false,
      entity_category: "diagnostic",
      name: "Linkquality",
      state_topic: "zigbee2mqtt/Kitchen lamp",
      unique_id: `${LAMP_ADDRESS}_linkquality_zigbee2mqtt`,
      unit_of_measurement: "lqi",
      value_template: "{{ value_json.linkquality }}",
    },
  ],
];

/** A plug in the short form, with a base topic. */
export const PLUG: readonly (readonly [topic: string, config: object])[] = [
  [
    "homeassistant/switch/plug_1/relay/config",
    {
      "~": "plugs/1",
      name: null,
      uniq_id: "plug_1_relay",
      stat_t: "~/state",
      cmd_t: "~/set",
      val_tpl: "{{ value_json.relay }}",
      avty_t: "~/status",
      ret: false,
      dev: { ids: ["plug_1"], name: "Coffee machine", mf: "Sonoff", mdl: "S31", sa: "Kitchen" },
    },
  ],
  [
    "homeassistant/sensor/plug_1/power/config",
    {
      "~": "plugs/1",
      name: "Power",
      uniq_id: "plug_1_power",
      stat_t: "~/state",
      val_tpl: "{{ value_json['power'] | float | round(1) }}",
      unit_of_meas: "W",
      dev_cla: "power",
      dev: { ids: ["plug_1"], name: "Coffee machine" },
    },
  ],
];

/** A device with its components in one message. */
export const STATION: readonly [topic: string, config: object] = [
  "homeassistant/device/station/config",
  {
    dev: { ids: "station_7", name: "Weather station", mf: "Ecowitt", mdl: "GW1100", sa: "Garden" },
    o: { name: "ecowitt2mqtt", sw: "1.0" },
    stat_t: "station/7/state",
    avty_t: "station/7/online",
    pl_avail: "1",
    pl_not_avail: "0",
    cmps: {
      outdoor: {
        p: "sensor",
        name: "Outdoor",
        dev_cla: "temperature",
        unit_of_meas: "°C",
        val_tpl: "{{ value_json.t }}",
        uniq_id: "s7_t",
      },
      rain: {
        p: "binary_sensor",
        name: "Rain",
        val_tpl: "{{ value_json.rain }}",
        pl_on: "1",
        pl_off: "0",
        uniq_id: "s7_r",
      },
      dew: {
        p: "sensor",
        name: "Dew point",
        unit_of_meas: "°C",
        val_tpl: "{{ (value_json.t | float) - 2 }}",
        uniq_id: "s7_d",
      },
      interval: {
        p: "number",
        name: "Interval",
        cmd_t: "station/7/interval",
        min: 1,
        max: 60,
        step: 1,
        ent_cat: "config",
        uniq_id: "s7_i",
      },
      restart: {
        p: "button",
        name: "Restart",
        cmd_t: "station/7/restart",
        pl_prs: "now",
        ent_cat: "config",
        uniq_id: "s7_x",
      },
      gone: { p: "sensor" },
    },
  },
];
