/** What happened, as lines of JSON in a file; times are of the clock that all processes of a machine share. */
import { openSync, writeSync } from "node:fs";
import process from "node:process";

export class Ledger {
  #file;

  constructor(file, server) {
    this.#file = openSync(file, "a");
    this.write("started", server);
  }

  write(event, nonce) {
    const at = Number(process.hrtime.bigint()) / 1e6;
    writeSync(this.#file, `${JSON.stringify({ event, nonce, at, pid: process.pid })}\n`);
  }
}
