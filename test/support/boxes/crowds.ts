/** Boxes in processes of their own, so that what they cost is not measured with the hub. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Order, Report, Who } from "./crowd.ts";

const CROWD = fileURLToPath(new URL("./crowd.ts", import.meta.url));
const PROCESSES = 2;

export class Crowds {
  readonly #who: Who;
  readonly #url: string;
  readonly #count: number;
  readonly #key: string | undefined;
  readonly #first: number;
  readonly #children: readonly ChildProcess[];

  /** @param first the number of the first box: boxes with the same number are the same box */
  constructor(hub: string, count: number, key?: string, who: Who = "boxes", first = 0) {
    this.#key = key;
    this.#first = first;
    this.#who = who;
    this.#url = `${hub.replace(/^http/, "ws")}${who === "boxes" ? "/xiaozhi/v1/" : "/mcp"}`;
    this.#count = count;
    // What Node is told by its environment is for the hub alone: profiles, say.
    const { NODE_OPTIONS: _, ...env } = process.env;
    this.#children = Array.from({ length: PROCESSES }, () => fork(CROWD, { env }));
  }

  /** Resolves when every one has been asked for its tools and has answered. */
  come(): Promise<Report> {
    const share = Math.ceil(this.#count / PROCESSES);
    return this.#all((place) => {
      const before = place * share;
      return {
        do: "come",
        who: this.#who,
        url: this.#url,
        ...(this.#key !== undefined && { key: this.#key }),
        first: this.#first + before,
        count: Math.min(share, this.#count - before),
      };
    });
  }

  leave(): Promise<Report> {
    return this.#all(() => ({ do: "leave" }));
  }

  end(): void {
    for (const child of this.#children) child.kill();
  }

  async #all(order: (place: number) => Order): Promise<Report> {
    const told = this.#children.map((child) => once(child, "message") as Promise<[Report]>);
    for (const [place, child] of this.#children.entries()) child.send(order(place));
    const reports = (await Promise.all(told)).map(([report]) => report);
    const sum = (of: (report: Report) => number): number => reports.reduce((total, report) => total + of(report), 0);
    return { compressed: sum(({ compressed }) => compressed), lost: sum(({ lost }) => lost) };
  }
}
