/** Official MCP of every revision on standard input and output: Zaguan as a desktop client's child process. */
import { ZaguanError } from "../errors.ts";
import type { ScanLimits } from "../protocol/json/scan.ts";
import { TwoWay, type TwoWayOptions } from "./mcp/two-way.ts";

interface StdioDoorOptions
  extends Pick<TwoWayOptions, "target" | "stateless" | "principal" | "language" | "write" | "report"> {
  readonly limits: ScanLimits;
}

export class StdioDoor extends TwoWay {
  constructor(options: StdioDoorOptions) {
    super({ ...options, bareAtFirst: false, limits: () => options.limits });
  }

  /** A line came that was longer than this many bytes; its id is lost with it. */
  tooLong(limit: number): void {
    this.refuse("null", new ZaguanError("TOO_LARGE", { params: { what: "a line", limit: `${limit} bytes` } }));
  }
}
