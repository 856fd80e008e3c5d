/** Tools in HandsAI's words (seed 004): described one by one, or imported and exported with their provider. */
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Principal } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";
import { noSuch } from "../registry/failures.ts";
import type { ApiRecord, ApiToolRecord, ApiWrite, NewApi, NewApiTool } from "../store/apis.ts";
import { connectionOf, isDescribed, keptProvider, keptTool, toolIn, writtenApi, writtenTool } from "./api-records.ts";
import type { ApiBook } from "./book.ts";
import type { DescribedTools, Providers } from "./contract.ts";
import { divide } from "./handsai/connection.ts";
import type { KeptProvider, KeptTool, ProviderInput, ToolInput } from "./handsai/types.ts";

interface Kept {
  readonly api: ApiRecord;
  readonly tool: ApiToolRecord;
}

export class ToolDesk implements DescribedTools {
  readonly #book: ApiBook;

  constructor(book: ApiBook) {
    this.#book = book;
  }

  async list(): Promise<readonly KeptTool[]> {
    const { table } = this.#book;
    const apis = new Map((await table.list()).filter(isDescribed).map((record) => [record.id, record]));
    return (await table.tools()).flatMap((tool) => {
      const api = apis.get(tool.apiId);
      return api ? [keptTool(api, tool)] : [];
    });
  }

  async find(idOrCode: string): Promise<KeptTool> {
    const { api, tool } = await this.#both(idOrCode);
    return keptTool(api, tool);
  }

  async create(input: ToolInput, principal: Principal): Promise<KeptTool> {
    return this.#book.inTurn(async () => {
      const place = { id: randomUUID(), name: input.code, kind: "tool", title: input.name } as const;
      const api = writtenApi(this.#book, place, input, principal);
      await this.#book.save([{ api, tools: [writtenTool(input)] }], input.code);
      return this.find(input.code);
    });
  }

  async change(idOrCode: string, anew: (kept: KeptTool) => ToolInput, principal: Principal): Promise<KeptTool> {
    return this.#book.inTurn(async () => {
      const { api, tool } = await this.#both(idOrCode);
      const input = anew(keptTool(api, tool));
      const changed = this.#changedApi(api, input, principal);
      const known = await this.#book.table.tools(api.id);
      const tools = known.map((each) => (each.id === tool.id ? writtenTool(input, tool) : each));
      await this.#book.save([{ api: changed, tools }], input.code);
      return this.find(tool.id);
    });
  }

  async remove(idOrCode: string): Promise<void> {
    await this.#book.inTurn(async () => {
      const { api, tool } = await this.#both(idOrCode);
      const others = (await this.#book.table.tools(api.id)).filter(({ id }) => id !== tool.id);
      if (others.length === 0) await this.#book.remove(api);
      else await this.#book.save([{ api, tools: others }], api.name);
    });
  }

  async validate(idOrCode: string): Promise<KeptTool> {
    const { api, tool } = await this.#both(idOrCode);
    const healthy = await this.#book.isHealthy(api, tool);
    await this.#book.table.noteHealth(tool.id, healthy, new Date().toISOString());
    return this.find(tool.id);
  }

  async isOff(code: string): Promise<boolean> {
    const tool = await this.#book.table.findTool(code);
    return tool !== undefined && tool.code === code && !tool.enabled;
  }

  async #both(idOrCode: string): Promise<Kept> {
    const tool = await this.#book.table.findTool(idOrCode);
    const api = tool && (await this.#book.table.get(tool.apiId));
    if (!tool || !api) throw noSuch("tool", idOrCode);
    return { api, tool };
  }

  /** Others share a provider's address and credentials: they are not changed by way of one tool. */
  #changedApi(api: ApiRecord, input: ToolInput, principal: Principal): NewApi {
    const before = connectionOf(this.#book, api, input);
    if (api.kind === "tool") {
      const place = { id: api.id, name: input.code, kind: "tool", title: input.name } as const;
      return writtenApi(this.#book, place, input, principal, before);
    }
    if (isDeepStrictEqual(divide(input, before), before)) return api;
    const reason = `address and credentials are those of the provider '${api.name}': import it again to change them`;
    const errors = [{ field: "baseUrl", message: reason }];
    throw new ZaguanError("INVALID_PARAMS", { params: { reason }, data: { errors } });
  }
}

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
      // A provider without tools could be neither seen nor removed.
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
    if (known && !isDescribed(known))
      throw new ZaguanError("NAME_TAKEN", { params: { kind: "API", name: known.name } });
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
