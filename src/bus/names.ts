/** Names of nodes and clusters, and the NATS subjects that are made of them: `<prefix>.n.<node>` for one, `<prefix>.all` for everybody. */
import type { NodeId } from "./bus.ts";
import { BusError } from "./bus-error.ts";

const NODE = /^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])?$/;
const PREFIX = /^(?=.{1,64}$)[A-Za-z0-9][\w-]*(?:\.[A-Za-z0-9][\w-]*)*$/;

/** No dot, star or space: such a name would be another subject, or many. */
export function isNodeName(name: string): boolean {
  return NODE.test(name);
}

export class Subjects {
  readonly #prefix: string;
  readonly all: string;
  readonly own: string;

  constructor(prefix: string, node: NodeId) {
    if (!PREFIX.test(prefix)) throw badPrefix();
    if (!isNodeName(node)) throw badNode();
    this.#prefix = prefix;
    this.all = `${prefix}.all`;
    this.own = this.of(node);
  }

  of(node: NodeId): string {
    return `${this.#prefix}.n.${node}`;
  }

  /** Where NATS answers that nobody listens; the token is unknown to those who do not see our messages. */
  unheard(token: string): string {
    return `${this.#prefix}.u.${token}`;
  }
}

function badPrefix(): BusError {
  const form = "letters, digits, - and _, up to 64 characters, with dots between parts";
  return new BusError("name", `The prefix of the cluster is not valid: use ${form}, such as "zaguan"`);
}

function badNode(): BusError {
  const form = "lower-case letters, digits, - and _, up to 32 characters, with a letter or digit at both ends";
  return new BusError("name", `The name of this node is not valid: use ${form}, such as "garage"`);
}
