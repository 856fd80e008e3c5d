/** What a hub without a file runs with. A test compares it with what the schema makes of an empty file. */
import type { ZaguanConfig } from "./types.ts";

export const DEFAULT_CONFIG: ZaguanConfig = {
  mcpServers: {},
  homeAssistant: {},
  apiTools: {},
  xiaozhi: { endpoints: [] },
  devices: {
    house: {
      lights: ["salon", "cocina", "dormitorio", "bano", "garage"],
      alarmDefault: false,
      presenceDefault: { present: false, knownPeople: [] },
    },
    abilities: {},
  },
  limits: {
    bodyBytes: 1_048_576,
    lineBytes: 10_485_760,
    jsonDepth: 64,
    jsonElements: 10_000,
    connections: 10_000,
    unreadBytes: 268_435_456,
    sessions: 10_000,
    sessionIdleSeconds: 3_600,
    callSeconds: 60,
    callMaxSeconds: 600,
    queueLength: 1_000,
    queueBurst: 100,
    callsPerMinute: 0,
    strictArguments: false,
    cacheBytes: 33_554_432,
    listWaitSeconds: 5,
    discoverySeconds: 30,
    graceSeconds: 10,
  },
  auth: { requireKey: false, trustedProxies: [], allowedHosts: [], allowedOrigins: [], allowedCommands: [] },
  log: { level: "info" },
};
