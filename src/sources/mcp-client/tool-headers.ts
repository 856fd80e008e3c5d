/**
 * Which arguments the tools of a server want repeated in headers, as far as it has told. A tool that breaks the rules for
 * that cannot be called over HTTP, and must not be offered.
 */
import type { ToolDefinition } from "../../core/call.ts";
import { splitJsonArray } from "../../protocol/framing/json-array.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { membersOf, withMember } from "../../protocol/json/text-edit.ts";
import { lawfulParamHeaders, type ParamHeader } from "../../protocol/mcp/headers.ts";

type Listed = Pick<ToolDefinition, "name" | "inputSchema">;

export class ToolHeaders {
  readonly #onLeftOut: (name: string) => void;
  #known = new Map<string, readonly ParamHeader[]>();

  /** @param onLeftOut told of every tool that is not offered */
  constructor(onLeftOut: (name: string) => void) {
    this.#onLeftOut = onLeftOut;
  }

  of(tool: string): readonly ParamHeader[] | undefined {
    return this.#known.get(tool);
  }

  /** Takes all tools of the server, and returns those that may be offered. */
  learn(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    this.#known = new Map();
    return tools.filter((tool) => this.#isLawful(tool));
  }

  /** Takes a page of them as it was written, and returns it without those that may not be offered. */
  learnPage(page: Payload): Payload {
    const { text } = page;
    const tools = memberOf(membersOf(text), "tools");
    const all = tools && splitJsonArray(text.slice(tools.start, tools.end));
    const lawful = all?.filter((tool) => this.#isLawful(JSON.parse(tool) as Listed | null));
    if (!all || lawful?.length === all.length) return page;
    return Payload.ofText(withMember(text, "tools", `[${lawful?.join(",")}]`));
  }

  #isLawful(tool: Listed | null): boolean {
    const wanted = lawfulParamHeaders(tool?.inputSchema);
    if (!wanted) this.#onLeftOut(String(tool?.name));
    else if (wanted.length > 0) this.#known.set(String(tool?.name), wanted);
    else this.#known.delete(String(tool?.name));
    return wanted !== undefined;
  }
}
