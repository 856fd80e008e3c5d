/** What a hub without a file runs with. A test compares it with what the schema makes of an empty file. */
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import type { ZaguanConfig } from "./types.ts";

export const DEFAULT_CONFIG: ZaguanConfig = {
  mcpServers: {},
  homeAssistant: {},
  apiTools: {},
  sections: {},
  xiaozhi: { endpoints: [] },
  devices: {
    house: {
      lights: ["salon", "cocina", "dormitorio", "bano", "garage"],
      alarmDefault: false,
      presenceDefault: { present: false, knownPeople: [] },
    },
    abilities: {},
  },
  limits: DEFAULT_LIMITS,
  auth: { requireKey: false, trustedProxies: [], allowedHosts: [], allowedOrigins: [], allowedCommands: [] },
  log: { level: "info" },
};
