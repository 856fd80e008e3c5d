/** One client on the WebSocket: it says who it is, then gives commands whose ids must rise. */
import { type CommandMessage, commandsOf, NO_FIELDS } from "./commands/index.ts";
import type { FailureCode, Translation } from "./failures.ts";
import type { House } from "./house.ts";
import { Outbox } from "./outbox.ts";
import { type Data, type Fault, faultsOf, humanized, isObject, type Schema, text } from "./voluptuous.ts";

export type ErrorCode = FailureCode | "unauthorized" | "id_reuse" | "unknown_command" | `invalid_${string}`;

export interface SessionPorts {
  send(text: string): void;
  close(): void;
}

const AUTH = {
  type: {
    required: (value: unknown, path: readonly string[]): Fault[] =>
      value === "auth" ? [] : [{ message: "not a valid value for dictionary value", path }],
  },
  access_token: text,
  api_password: text,
};
const WHOLE_ERROR = "Message incorrectly formatted.";

export class Session {
  readonly house: House;
  readonly subscriptions = new Map<number, () => void>();
  readonly #token: string;
  readonly #ports: SessionPorts;
  readonly #outbox: Outbox;
  readonly #mayCoalesce: boolean;
  #authenticated = false;
  #lastId = 0;

  constructor(house: House, token: string, mayCoalesce: boolean, ports: SessionPorts) {
    this.house = house;
    this.#token = token;
    this.#mayCoalesce = mayCoalesce;
    this.#ports = ports;
    this.#outbox = new Outbox((text) => ports.send(text));
    ports.send(JSON.stringify({ type: "auth_required", ha_version: house.version }));
  }

  get authenticated(): boolean {
    return this.#authenticated;
  }

  /** What is no JSON is answered by closing. */
  receive(frame: string): void {
    let data: unknown;
    try {
      data = JSON.parse(frame);
    } catch {
      return void this.#ports.close();
    }
    if (!this.#authenticated) this.#authenticate(data);
    else for (const message of Array.isArray(data) ? data : [data]) this.#take(message);
  }

  end(): void {
    for (const unsubscribe of this.subscriptions.values()) unsubscribe();
    this.subscriptions.clear();
  }

  result(id: number, result: unknown = null): void {
    this.resultText(id, JSON.stringify(result));
  }

  resultText(id: number, text: string): void {
    this.put(`{"id":${id},"type":"result","success":true,"result":${text}}`);
  }

  error(id: unknown, code: ErrorCode, message: string, translation?: Translation): void {
    const error = { code, message, ...translation };
    this.put(JSON.stringify({ id, type: "result", success: false, error }));
  }

  put(text: string): void {
    this.#outbox.put(text);
  }

  coalesce(): void {
    this.#outbox.together = this.#mayCoalesce;
  }

  #authenticate(data: unknown): void {
    const faults = isObject(data) ? faultsOf(AUTH, data) : [{ message: "expected a dictionary", path: [] }];
    if (faults.length > 0) return void this.#refuse(`Auth message incorrectly formatted: ${humanized(faults, data)}`);
    if ((data as Data)["access_token"] !== this.#token) return void this.#refuse("Invalid access token or password");
    this.#authenticated = true;
    this.#ports.send(JSON.stringify({ type: "auth_ok", ha_version: this.house.version }));
  }

  #refuse(message: string): void {
    this.#ports.send(JSON.stringify({ type: "auth_invalid", message }));
    this.#ports.close();
  }

  /** An unknown command does not use up its id; a known one does, even if it is badly formed. */
  #take(message: unknown): void {
    if (!isObject(message)) return void this.error(0, "invalid_format", WHOLE_ERROR);
    const { id = null, type } = message;
    if (!isCommand(message)) return void this.error(id, "invalid_format", WHOLE_ERROR);
    if (message.id <= this.#lastId) return void this.error(id, "id_reuse", "Identifier values have to increase.");
    const command = commandsOf(this.house.modern).get(String(type));
    if (!command) return void this.error(id, "unknown_command", "Unknown command.");
    const wrong = this.#wrong(command.fields, message);
    this.house.commands.push(message.type);
    if (wrong) this.error(id, "invalid_format", wrong);
    else if (this.house.refused.has(message.type)) this.error(id, "unauthorized", "Unauthorized");
    else command.run(this, message);
    this.#lastId = message.id;
  }

  #wrong(fields: Schema, message: CommandMessage): string | undefined {
    const faults = faultsOf({ id: () => [], type: () => [], ...fields }, message);
    if (faults.length === 0) return undefined;
    // Newer ones have no schema for a command without fields, and cannot say which key was too many.
    const vague = this.house.modern && fields === NO_FIELDS;
    return humanized(vague ? [{ message: "extra keys not allowed", path: [] }] : faults, message);
  }
}

function isCommand(message: Data): message is CommandMessage {
  const { id, type } = message;
  return Number.isInteger(id) && Number(id) > 0 && typeof type === "string" && type !== "";
}
