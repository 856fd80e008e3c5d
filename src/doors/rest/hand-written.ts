/** Descriptions of what is REST but answered by doors of their own. A route that is described where it stands wins. */
import { z } from "zod";
import type { Operation } from "./operation.ts";

const HEALTH = z
  .object({
    status: z.literal("healthy"),
    version: z.string(),
    uptimeSeconds: z.number(),
    callsInFlight: z.int(),
    sources: z.array(z.object({ name: z.string(), kind: z.string(), state: z.string(), tools: z.int() })),
  })
  .meta({ id: "Health" });

const HAND_WRITTEN: readonly Operation[] = [
  {
    ...{ method: "GET", path: "/health", operationId: "health", tag: "Hub", public: true },
    summary: "Whether the hub answers, and how its sources are",
    answers: { 200: { description: "It does.", schema: HEALTH } },
  },
  {
    ...{ method: "GET", path: "/openapi.json", operationId: "openApi", tag: "Hub", public: true },
    summary: "This description",
    answers: { 200: { description: "An OpenAPI 3.1 document.", schema: z.looseObject({ openapi: z.string() }) } },
  },
];

export function withHandWritten(described: readonly Operation[]): Operation[] {
  const isDescribed = ({ method, path }: Operation) =>
    described.some((operation) => operation.method === method && operation.path === path);
  return [...described, ...HAND_WRITTEN.filter((operation) => !isDescribed(operation))];
}
