/** HandsAI's providers, in and out. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";
import type { ApiRecord, ApiToolRecord, ApiWrite, NewApiTool } from "../store/apis.ts";
import { toolIn } from "./api-records.ts";
import type { ApiBook } from "./book.ts";
import type { Providers } from "./contract.ts";
import { connectionOf, isDescribed, keptProvider, writtenApi, writtenTool } from "./description-records.ts";
import type { KeptProvider, ProviderInput } from "./handsai/types.ts";

export class ProviderDesk implements Providers {
  readonly #book: ApiBook;

  constructor(book: ApiBook) {
    this.#book = book;
  }

  async importAll(providers: readonly ProviderInput[], principal: Principal): Promise<readonly KeptProvider[]> {
    const codes = providers.map(({ code }) => code);
    return this.#book.inTurn(async () => {
      const writes: ApiWrite[] = [];
      for (const provider of providers) writes.push(await this.#write(provider, principal));
      // One without any tool would be nothing that anybody could see, or remove.
      await this.#book.save(
        writes.filter(({ tools }) => tools.length > 0),
        codes.join(", "),
      );
      return this.#kept(codes);
    });
  }

  async exportAll(codes: readonly string[] | undefined): Promise<readonly KeptProvider[]> {
    const all = await this.#kept(codes);
    const exported = all.map((one) => ({
      ...one,
      tools: one.tools.filter(({ isExportable }) => isExportable !== false),
    }));
    return exported.filter(({ tools }) => tools.length > 0);
  }

  async #kept(codes: readonly string[] | undefined): Promise<readonly KeptProvider[]> {
    const { table } = this.#book;
    const tools = Map.groupBy(await table.tools(), ({ apiId }) => apiId);
    return (await table.list())
      .filter((api) => isDescribed(api) && (codes === undefined || codes.includes(api.name)))
      .map((api) => keptProvider(api, tools.get(api.id) ?? []));
  }

  async #write(provider: ProviderInput, principal: Principal): Promise<ApiWrite> {
    const known = await this.#book.table.findByName(provider.code);
    if (known && !isDescribed(known)) throw new ZaguanError("NAME_TAKEN", { params: taken(known) });
    const before = known ? await this.#book.table.tools(known.id) : [];
    const tools = mergedTools(before, provider);
    // A tool by itself is exported as a provider of one; when it comes back, it is still by itself.
    const kind = known?.kind === "tool" && tools.length === 1 ? "tool" : "provider";
    const place = {
      id: known?.id ?? randomUUID(),
      name: known?.name ?? provider.code,
      kind,
      title: provider.name,
    } as const;
    const api = writtenApi(this.#book, place, provider, principal, known && connectionOf(this.#book, known, provider));
    return { api, tools };
  }
}

/** By their codes; those that are not named stay, and new ones come behind. */
function mergedTools(before: readonly ApiToolRecord[], { tools }: ProviderInput): readonly NewApiTool[] {
  const said = new Map(tools.map((tool) => [tool.code, tool]));
  const known = before.map((tool) => {
    const anew = said.get(tool.code);
    return anew ? writtenTool({ isExportable: toolIn(tool).isExportable, ...anew }, tool) : tool;
  });
  const codes = new Set(before.map(({ code }) => code));
  return [...known, ...tools.filter(({ code }) => !codes.has(code)).map((tool) => writtenTool(tool))];
}

function taken({ name }: ApiRecord): { readonly kind: string; readonly name: string } {
  return { kind: "API", name };
}
