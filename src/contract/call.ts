/** A call as those who watch see it, and what calls come to. */
import { z } from "zod";
import type { Of } from "./fields.ts";
import { PRIORITIES, type Priority } from "./rules.ts";

const count = z.int();
const ms = z.number();

/** A number for each class. */
export const ByPriority = z.object(
  Object.fromEntries(PRIORITIES.map((priority) => [priority, count])) as Record<Priority, typeof count>,
);

export const CALL_STATES = ["waiting", "running", "ended"] as const;

export const Call = z
  .object({
    id: count.describe("Unique on its node."),
    node: z.string().optional().describe("The node that was called; absent where there is no cluster."),
    startedUtc: z.string(),
    door: z.string(),
    principal: z.string().describe("The name of who called."),
    tool: z.string().describe("As its source knows it; the method where there is no tool."),
    source: z.string().describe("Empty where its tool is not there, or not its caller's to use."),
    priority: z.enum(PRIORITIES),
    state: z.enum(CALL_STATES),
    queuedMs: ms,
    ms: ms.describe("So far, while it has not ended."),
    outcome: z.string().nullable().describe('"ok", "tool-failed" or a code of errors; null while it has not ended.'),
    cached: z.boolean(),
    attempts: count,
  })
  .meta({ id: "Call" });
export type Call = Of<typeof Call>;

export const CallDetail = Call.extend({
  method: z.string(),
  language: z.string(),
  deadlineMs: ms,
  args: z.unknown().describe("Without secrets; null where they were not kept."),
  argsKept: z.boolean().describe("False in a flood, or where they are too long."),
  steps: z
    .array(
      z.object({
        name: z.string(),
        atMs: ms.describe("Since the call began."),
        ms: ms.describe("Until the next step was entered; for the last one, until the end."),
      }),
    )
    .describe("The way through the pipeline, in its order, as far as it went; empty where it was not kept."),
  retries: z.array(z.object({ attempt: count, atMs: ms, delayMs: ms })),
}).meta({ id: "CallDetail" });
export type CallDetail = Of<typeof CallDetail>;

const FiguresPoint = z
  .object({
    at: z.number().describe("When it began, in milliseconds since 1970."),
    callsPerSecond: z.number(),
    requestsPerSecond: z.number(),
    errors: count,
    p50Ms: ms.nullable(),
    p95Ms: ms.nullable(),
    p99Ms: ms.nullable(),
    queue: ByPriority.nullable().describe("The most that waited when somebody looked."),
    memoryBytes: z.number().nullable(),
    cacheHits: count,
    cacheMisses: count,
  })
  .meta({ id: "FiguresPoint" });
export type FiguresPoint = Of<typeof FiguresPoint>;

export const Figures = z
  .object({
    points: z.array(FiguresPoint),
    totals: z
      .object({
        calls: count,
        failed: count,
        cacheHits: count,
        cacheMisses: count,
        cacheEvictions: count,
        retries: count,
        internalErrors: count,
      })
      .describe("Since the start, as /metrics has them."),
    queue: ByPriority.describe("Calls that wait now."),
    inFlight: count,
    uptimeSeconds: z.number(),
    nodes: z
      .array(z.string())
      .optional()
      .describe("The nodes whose figures these are; absent where there is no cluster."),
    missing: z.array(z.string()).optional().describe("Nodes that did not answer within a second."),
  })
  .meta({ id: "Figures" });
export type Figures = Of<typeof Figures>;
