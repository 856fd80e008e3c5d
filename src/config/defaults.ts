/** What a hub without a file runs with: what an empty file means. Made by `npm run generate`; loads no schemas. */
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
  auth: {
    requireKey: false,
    trustedProxies: [],
    allowedHosts: [],
    allowedOrigins: [],
    allowedCommands: [],
  },
  cluster: { prefix: "zaguan" },
  log: { level: "info" },
  limits: DEFAULT_LIMITS,
};
