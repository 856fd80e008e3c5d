/**
 * Seed 004's older face, so that its clients notice nothing: `GET /api/tools/discover` and `POST /api/tools/execute`, over
 * the catalogue and the pipeline of every other door.
 */
import type { Door, DoorContext, DoorFactory, Exchange, Route } from "../door.ts";
import { sendProblem } from "../rest/problem.ts";
import { execute } from "./execution.ts";
import { LastChange, ToolTexts, ToolTypes } from "./tool-list.ts";

export const apiTools: DoorFactory = (context) => new ApiTools(context);

class ApiTools implements Door {
  readonly name = "api-tools";
  readonly routes: readonly Route[];
  readonly #context: DoorContext;
  readonly #types: ToolTypes;
  readonly #texts: ToolTexts;
  readonly #lastChange: LastChange;

  constructor(context: DoorContext) {
    this.#context = context;
    this.#types = new ToolTypes(context);
    this.#texts = new ToolTexts(this.#types);
    this.#lastChange = new LastChange(context.gateway, () => Date.parse(context.status().startedUtc));
    this.routes = [
      {
        method: "GET",
        path: "/api/tools/discover",
        needs: "see",
        fail: sendProblem,
        handle: (exchange) => this.#discover(exchange),
      },
      {
        method: "POST",
        path: "/api/tools/execute",
        needs: "call",
        fail: sendProblem,
        handle: (exchange) => execute(exchange, this.#context, this.#types),
      },
    ];
  }

  close(): void {
    this.#lastChange.close();
  }

  async #discover(exchange: Exchange): Promise<void> {
    const { principal, language } = exchange;
    const tools = await this.#context.gateway.listTools(principal, language);
    const lastUpdated = new Date(await this.#lastChange.time()).toISOString();
    const list = this.#texts.listOf(tools);
    exchange.reply(200, `{"tools":${list},"totalCount":${tools.length},"lastUpdated":"${lastUpdated}"}`);
  }
}
