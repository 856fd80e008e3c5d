/** Records of the registry as clients see them, without credentials. */
import type { Agent, Binding, BoundTool } from "../../contract/agent.ts";
import { type Discovery, type DiscoveryStep, SERVER_HIDDEN, type Server } from "../../contract/server.ts";
import type { Tool } from "../../contract/tool.ts";
import type { ToolDefinition } from "../../core/call.ts";
import type { Language } from "../../messages/catalogue.ts";
import { detailIn } from "../../messages/detail.ts";
import { hiddenIn } from "../../protocol/text/hidden.ts";
import { maskedAddress } from "../../security/entry-secrets.ts";
import { REDACTED } from "../../security/redaction.ts";
import type {
  AgentRecord,
  BindingRecord,
  BoundTool as BoundRecord,
  ServerRecord,
  ToolRecord,
} from "../../store/registry.ts";
import type { SourceSummary } from "../door.ts";

export function serverView(record: ServerRecord, live: SourceSummary | undefined, seesAll: boolean): Server {
  const whole: Server = {
    id: record.id,
    name: record.title ?? record.name,
    slug: record.name,
    description: record.description ?? null,
    status: record.status,
    baseUrl: record.baseUrl === undefined ? null : maskedAddress(record.baseUrl),
    transport: record.transport ?? live?.transport ?? null,
    lastSeenUtc: live?.lastSeenUtc ?? record.lastSeenUtc ?? null,
    lastError: live?.lastError ?? record.lastError ?? null,
    authType: record.authType,
    origin: record.origin,
    command: record.command ?? null,
    createdUtc: record.createdUtc,
    updatedUtc: record.updatedUtc,
    kind: live?.kind ?? "none",
    ...(live?.node !== undefined && { node: live.node }),
    state: live?.state ?? "closed",
    tools: live?.tools ?? 0,
    restarts: live?.restarts ?? 0,
    progress: live?.progress ?? null,
    revision: live?.revision ?? null,
    log: live?.log ?? [],
  };
  return seesAll ? whole : { ...whole, ...SERVER_HIDDEN };
}

/** What was tried, in the reader's language. */
export function stepsIn(steps: readonly DiscoveryStep[], language: Language): readonly DiscoveryStep[] {
  return steps.map((step) => ({ ...step, outcome: detailIn(language, step.outcome) }));
}

export function discoveryView(entry: Discovery, language: Language): Discovery {
  const error = entry.error === undefined ? {} : { error: detailIn(language, entry.error) };
  return { ...entry, ...error, steps: stepsIn(entry.steps, language) };
}

export interface ToolShown {
  /** The tool as a limited caller sees it, where that differs from the record. */
  readonly shown?: ToolDefinition | undefined;
  /** Where another server had the name first. */
  readonly publicName?: string | undefined;
}

export function toolView(record: ToolRecord, { shown, publicName }: ToolShown = {}): Tool {
  const definition = shown ?? (JSON.parse(record.definition) as Partial<ToolDefinition>);
  const { inputSchema, title, annotations } = definition;
  const hidden = hiddenIn([record.name, record.description, definition]);
  return {
    id: record.id,
    name: record.name,
    ...(publicName !== undefined && { publicName }),
    ...(title !== undefined && { title: title as string }),
    description: record.description,
    scope: record.scope,
    inputSchema,
    inputSchemaJson: JSON.stringify(inputSchema ?? {}),
    serverId: record.serverId,
    serverName: record.serverTitle ?? record.serverName,
    serverSlug: record.serverName,
    ...(annotations !== undefined && { annotations }),
    ...(hidden.length > 0 && { hidden }),
    ...(record.missing && { missing: true }),
    ...(record.quarantine !== undefined && { quarantine: record.quarantine }),
  };
}

/**
 * By what is shown, the record itself or a definition in its place: neither ever changes. A text is made once and goes with
 * what it shows.
 */
const texts = new WeakMap<object, KeptText>();

interface KeptText {
  readonly record: ToolRecord;
  /** Changes when other servers come and go. */
  readonly publicName: string | undefined;
  readonly text: string;
}

/** `toolView` as JSON text, for lists of many. */
export function toolText(record: ToolRecord, how: ToolShown = {}): string {
  const { shown, publicName } = how;
  const known = texts.get(shown ?? record);
  if (known?.record === record && known.publicName === publicName) return known.text;
  const text = JSON.stringify(toolView(record, how));
  texts.set(shown ?? record, { record, publicName, text });
  return text;
}

export function agentView(record: AgentRecord): Agent {
  const { id, name, description = null, systemPrompt = null, autonomy, createdUtc, updatedUtc } = record;
  return { id, name, description, systemPrompt, autonomy, createdUtc, updatedUtc };
}

export function bindingView({ id, agentId, toolId, config, enabled }: BindingRecord): Binding {
  return { id, agentId, toolId, config: config ?? null, enabled };
}

export function boundToolView(bound: BoundRecord): BoundTool {
  return { ...bindingView(bound), tool: toolView(bound.tool) };
}

/** As somebody sees it who may change nothing: which arguments are fixed, and not to what, which may be a secret. */
export function readOnlyBoundToolView(bound: BoundRecord): BoundTool {
  const { fixedArguments } = bound.config ?? {};
  const whole = boundToolView(bound);
  return fixedArguments ? { ...whole, config: { ...bound.config, fixedArguments: redacted(fixedArguments) } } : whole;
}

function redacted(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, REDACTED]));
}

/** As the agent itself sees it: without the arguments that its link fixes. */
export function ownToolView(bound: BoundRecord, shown: ToolDefinition): BoundTool {
  const { fixedArguments: _, ...config } = bound.config ?? {};
  return { ...bindingView(bound), config, tool: toolView(bound.tool, { shown }) };
}
