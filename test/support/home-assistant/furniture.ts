/**
 * What stands in the house: some of Home Assistant's demo entities with the attributes of the real ones, a template lamp
 * that follows an input_boolean, and a French thermometer. A table.
 */
import type { Attributes } from "./state.ts";

export interface Furniture {
  readonly id: string;
  readonly state: string;
  readonly attributes: Attributes;
  /** In the entity registry only if the integration gives it an id of its own; a template lamp has none. */
  readonly registered?: Registered;
  /** What a light that is off will show when it is turned on. */
  readonly glow?: Attributes;
}

/** What its integration says of it. */
export interface Registered {
  readonly platform: string;
  readonly uniqueId: string;
  readonly area?: string;
  readonly category?: "config" | "diagnostic";
}

export const LAMP = "light.salon_lamp";
export const LAMP_SWITCH = "input_boolean.salon";

export const AREAS: readonly (readonly [id: string, name: string])[] = [
  ["living_room", "Living Room"],
  ["kitchen", "Kitchen"],
  ["bedroom", "Bedroom"],
];

const KELVINS = { min_color_temp_kelvin: 2000, max_color_temp_kelvin: 6535, min_mireds: 153, max_mireds: 500 };
const COLOURFUL = { ...KELVINS, supported_color_modes: ["color_temp", "hs"] };
const WARM = {
  color_mode: "color_temp",
  brightness: 180,
  color_temp_kelvin: 2631,
  color_temp: 380,
  hs_color: [28.55, 67.974],
  rgb_color: [255, 164, 81],
  xy_color: [0.533, 0.389],
};
const PINK = {
  color_mode: "hs",
  brightness: 180,
  color_temp_kelvin: null,
  color_temp: null,
  hs_color: [345, 75],
  rgb_color: [255, 63, 111],
  xy_color: [0.59, 0.274],
};
const DARK = {
  color_mode: null,
  brightness: null,
  color_temp_kelvin: null,
  color_temp: null,
  hs_color: null,
  rgb_color: null,
  xy_color: null,
};

function demo(uniqueId: string, area?: string): Pick<Furniture, "registered"> {
  return { registered: { platform: "demo", uniqueId, ...(area && { area }) } };
}

export const FURNITURE: readonly Furniture[] = [
  {
    id: "zone.home",
    state: "0",
    attributes: {
      latitude: 40.4,
      longitude: -3.7,
      radius: 100,
      passive: false,
      persons: [],
      editable: true,
      icon: "mdi:home",
      friendly_name: "Lab",
    },
  },
  {
    id: LAMP_SWITCH,
    state: "off",
    attributes: { editable: false, friendly_name: "Salon" },
    registered: { platform: "input_boolean", uniqueId: "salon" },
  },
  {
    id: LAMP,
    state: "off",
    attributes: {
      supported_color_modes: ["onoff"],
      color_mode: null,
      friendly_name: "Lampe Salon",
      supported_features: 0,
    },
    glow: { color_mode: "onoff" },
  },
  {
    id: "light.bed_light",
    state: "off",
    attributes: {
      ...KELVINS,
      effect_list: ["rainbow", "none"],
      supported_color_modes: ["color_temp", "hs"],
      effect: null,
      ...DARK,
      friendly_name: "Bed Light",
      supported_features: 4,
    },
    glow: { effect: "rainbow", ...WARM },
    ...demo("light_1", "bedroom"),
  },
  {
    id: "light.ceiling_lights",
    state: "on",
    attributes: { ...COLOURFUL, ...WARM, friendly_name: "Ceiling Lights", supported_features: 0 },
    ...demo("light_2", "living_room"),
  },
  {
    id: "light.kitchen_lights",
    state: "on",
    attributes: { ...COLOURFUL, ...PINK, friendly_name: "Kitchen Lights", supported_features: 0 },
    ...demo("light_3", "kitchen"),
  },
  {
    id: "switch.decorative_lights",
    state: "on",
    attributes: { assumed_state: true, friendly_name: "Decorative Lights" },
    ...demo("switch1", "living_room"),
  },
  {
    id: "switch.ac",
    state: "off",
    attributes: { device_class: "outlet", friendly_name: "AC" },
    ...demo("switch2", "bedroom"),
  },
  {
    id: "sensor.temperature_salon",
    state: "21.5",
    attributes: {
      state_class: "measurement",
      unit_of_measurement: "°C",
      device_class: "temperature",
      friendly_name: "Température Salon",
    },
    registered: { platform: "mqtt", uniqueId: "temperature_salon", area: "living_room" },
  },
  {
    id: "sensor.outside_temperature",
    state: "15.6",
    attributes: {
      state_class: "measurement",
      battery_level: 12,
      unit_of_measurement: "°C",
      device_class: "temperature",
      friendly_name: "Outside Temperature",
    },
    ...demo("sensor_1"),
  },
  {
    id: "weather.demo_weather_south",
    state: "sunny",
    attributes: {
      temperature: 21.6,
      temperature_unit: "°C",
      humidity: 92,
      pressure: 1099,
      pressure_unit: "hPa",
      wind_speed: 1.8,
      wind_speed_unit: "km/h",
      visibility_unit: "km",
      precipitation_unit: "mm",
      attribution: "Powered by Home Assistant",
      friendly_name: "Demo Weather South",
      supported_features: 1,
    },
    ...demo("demo-weather-south"),
  },
];

/** As many more sensors as a test wants. */
export function extraSensor(number: number): Furniture {
  return {
    id: `sensor.extra_${number}`,
    state: String(number % 100),
    attributes: { state_class: "measurement", unit_of_measurement: "%", friendly_name: `Extra ${number}` },
    registered: { platform: "mqtt", uniqueId: `extra_${number}` },
  };
}
