/** An ability on the bench: opened on documents of its own, its tools called as the hub calls them. */
import type { Ability, AbilityContext, OpenAbility } from "../../src/abilities/ability.ts";
import type { Principal, ToolDefinition } from "../../src/core/call.ts";
import { LightAbort } from "../../src/light-abort.ts";
import type { Language } from "../../src/messages/catalogue.ts";
import { memoryDocuments } from "../../src/store/memory-documents.ts";
import { definitionOf } from "../../src/user-tools/arguments.ts";
import { runTool } from "../../src/user-tools/run.ts";
import { FakeClock } from "./fake-clock.ts";
import { LOCAL } from "./registry-ports.ts";

type Members = Readonly<Record<string, unknown>>;

export interface Bench {
  readonly open: OpenAbility;
  readonly logged: readonly string[];
  readonly definitions: readonly ToolDefinition[];
  /** What the tool answered, out of its text, which says the same as its structured content. */
  call<Answer = Members>(tool: string, args?: Members, language?: Language, principal?: Principal): Promise<Answer>;
}

export async function onBench<Settings>(
  ability: Ability<Settings>,
  settings: Settings,
  given: Partial<AbilityContext> = {},
): Promise<Bench> {
  const logged: string[] = [];
  const open = await ability.open(settings, {
    clock: new FakeClock(),
    documents: memoryDocuments(),
    env: {},
    call: async ({ tool }) => Promise.reject(new Error(`nobody was to call ${tool}`)),
    attached: Promise.resolve(),
    principalOf: async () => LOCAL,
    check: async () => {},
    log: (line) => logged.push(line),
    ...given,
  });
  return {
    open,
    logged,
    definitions: open.tools.map((tool) => definitionOf(tool)),
    call: async <Answer>(name: string, args: Members = {}, language: Language = "zh", principal = LOCAL) => {
      const tool = open.tools.find((each) => each.name === name);
      if (!tool) throw new Error(`there is no tool ${name}`);
      const { value } = await runTool(tool, args, { language, signal: new LightAbort(), principal });
      const { content, isError } = value as { content: readonly { text: string }[]; isError: boolean };
      if (isError) throw new Error(content[0]?.text);
      return JSON.parse(content[0]?.text ?? "") as Answer;
    },
  };
}
