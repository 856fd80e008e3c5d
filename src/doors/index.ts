/** The doors on the HTTP port, one line each. */
import { admin } from "./admin/index.ts";
import { apiTools } from "./api-tools/index.ts";
import { bridge } from "./bridge/index.ts";
import { docs } from "./docs.ts";
import type { DoorFactory } from "./door.ts";
import { httpSse } from "./http-sse.ts";
import { monitoring } from "./monitoring/index.ts";
import { openApiTools } from "./openapi-tools/index.ts";
import { page } from "./page.ts";
import { registry } from "./registry/index.ts";
import { oneAgent, oneServer, streamableHttp } from "./streamable-http.ts";
import { webSocket } from "./websocket.ts";

export const DOORS: readonly DoorFactory[] = [
  streamableHttp,
  oneServer,
  oneAgent,
  webSocket,
  httpSse,
  bridge,
  apiTools,
  openApiTools,
  registry,
  admin,
  monitoring,
  docs,
  page,
];
