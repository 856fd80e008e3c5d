/** The doors on the HTTP port, one line each. */
import { admin } from "./admin/index.ts";
import { apiTools } from "./api-tools/index.ts";
import { bridge } from "./bridge/index.ts";
import { cluster } from "./cluster/index.ts";
import { consolePage } from "./console/index.ts";
import { docs } from "./docs.ts";
import type { DoorFactory } from "./door.ts";
import { home } from "./home/index.ts";
import { httpSse } from "./http-sse.ts";
import { keys } from "./keys/index.ts";
import { live } from "./live/index.ts";
import { monitoring } from "./monitoring/index.ts";
import { openApiTools } from "./openapi-tools/index.ts";
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
  keys,
  admin,
  monitoring,
  live,
  cluster,
  home,
  docs,
  consolePage,
];
