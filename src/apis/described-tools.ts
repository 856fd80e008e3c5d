/** Tools that are described one by one, and those of providers (seed 004). */
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Principal } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";
import { noSuch } from "../registry/failures.ts";
import type { ApiRecord, ApiToolRecord, NewApi } from "../store/apis.ts";
import type { ApiBook } from "./book.ts";
import type { DescribedTools } from "./contract.ts";
import { connectionOf, isDescribed, keptTool, writtenApi, writtenTool } from "./description-records.ts";
import { divide } from "./handsai/connection.ts";
import type { KeptTool, ToolInput } from "./handsai/types.ts";

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
