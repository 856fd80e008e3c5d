/** The doors on the HTTP port, one line each. */
import type { DoorFactory } from "./door.ts";
import { health } from "./health.ts";
import { page } from "./page.ts";
import { registry } from "./registry.ts";
import { streamableHttp } from "./streamable-http.ts";

export const DOORS: readonly DoorFactory[] = [streamableHttp, registry, health, page];
