/** What the endpoints for those who watch give, as schemas for OpenAPI. */
import { z } from "zod";

const COUNT = z.int();
const MS = z.number();
const PRIORITY = z.enum(["HIGH", "MEDIUM", "LOW", "BULK"]);

const CALL_FIELDS = {
  id: COUNT,
  startedUtc: z.string(),
  door: z.string(),
  principal: z.string().describe("The name of who called."),
  tool: z.string().describe("As its source knows it; the method where there is no tool."),
  source: z.string().describe("Empty where its tool is not there, or not its caller's to use."),
  priority: PRIORITY,
  state: z.enum(["waiting", "running", "ended"]),
  queuedMs: MS,
  ms: MS.describe("So far, while it has not ended."),
  outcome: z.string().nullable().describe('"ok", "tool-failed" or a code of errors; null while it has not ended.'),
  cached: z.boolean(),
  attempts: COUNT,
};

export const CALL: z.ZodType = z.object(CALL_FIELDS).meta({ id: "Call" });

export const CALL_DETAIL: z.ZodType = z
  .object({
    ...CALL_FIELDS,
    method: z.string(),
    language: z.string(),
    deadlineMs: MS,
    args: z.unknown().describe("Without secrets."),
    argsKept: z.boolean().describe("False in a flood, or where they are too long."),
    steps: z.array(
      z.object({
        name: z.string(),
        atMs: MS.describe("Since the call began."),
        ms: MS.describe("Until the next step was entered; for the last one, until the end."),
      }),
    ),
    retries: z.array(z.object({ attempt: COUNT, atMs: MS, delayMs: MS })),
  })
  .meta({ id: "CallDetail" });

const QUEUE = z.object({ HIGH: COUNT, MEDIUM: COUNT, LOW: COUNT, BULK: COUNT });

const POINT = z
  .object({
    at: z.number().describe("When it began, in milliseconds since 1970."),
    ...{ callsPerSecond: z.number(), requestsPerSecond: z.number(), errors: COUNT },
    ...{ p50Ms: MS.nullable(), p95Ms: MS.nullable(), p99Ms: MS.nullable() },
    queue: QUEUE.nullable().describe("The most that waited when somebody looked."),
    memoryBytes: z.number().nullable(),
    ...{ cacheHits: COUNT, cacheMisses: COUNT },
  })
  .meta({ id: "FiguresPoint" });

export const FIGURES: z.ZodType = z
  .object({
    points: z.array(POINT),
    totals: z
      .object({
        ...{ calls: COUNT, failed: COUNT, cacheHits: COUNT, cacheMisses: COUNT, cacheEvictions: COUNT },
        ...{ retries: COUNT, internalErrors: COUNT },
      })
      .describe("Since the start, as /metrics has them."),
    queue: QUEUE.describe("Calls that wait now."),
    inFlight: COUNT,
    uptimeSeconds: z.number(),
  })
  .meta({ id: "Figures" });
