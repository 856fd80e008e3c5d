/** Descriptions of what is REST but answered by doors of their own. A route that is described where it stands wins. */
import { z } from "zod";
import type { Operation } from "../../contract/operation.ts";
import { BRIDGE_OPERATIONS } from "./bridge-operations.ts";
import { MONITORING_OPERATIONS } from "./monitoring-operations.ts";
import { TOOL_OPERATIONS } from "./tool-operations.ts";

const HAND_WRITTEN: readonly Operation[] = [
  ...MONITORING_OPERATIONS,
  ...BRIDGE_OPERATIONS,
  ...TOOL_OPERATIONS,
  {
    method: "GET",
    path: "/events",
    operationId: "followHub",
    tag: "Hub",
    needs: "see",
    summary: "The hub as it changes, as server-sent events",
    description: [
      "First `hello` with the whole picture, then what is new, gathered for a quarter of a second: `servers`, `tools`,",
      "`calls`, `house`, `home`, `figures`. Everybody is told what they may see: administrators everybody's calls, others",
      "their own.",
    ].join(" "),
    answers: { 200: { description: "A stream of events (`text/event-stream`) that ends with the hub." } },
  },
  {
    method: "GET",
    path: "/openapi.json",
    operationId: "openApi",
    tag: "Hub",
    needs: "nobody",
    summary: "This description",
    answers: { 200: { description: "An OpenAPI 3.1 document.", schema: z.looseObject({ openapi: z.string() }) } },
  },
];

export function withHandWritten(described: readonly Operation[]): Operation[] {
  const isDescribed = ({ method, path }: Operation) =>
    described.some((operation) => operation.method === method && operation.path === path);
  return [...described, ...HAND_WRITTEN.filter((operation) => !isDescribed(operation))];
}
