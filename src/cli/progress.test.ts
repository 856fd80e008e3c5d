/** Progress is shown on terminals, after a while, and leaves nothing behind. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Output } from "./command.ts";
import { bar, progressBar, spinner } from "./progress.ts";

class Recorder implements Output {
  readonly isTTY: boolean;
  readonly columns = 40;
  text = "";

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }
}

describe("in a pipe", () => {
  test("nothing is ever shown", async () => {
    const output = new Recorder(false);
    const [one, two] = [spinner(output, "lamp", 0), progressBar(output, 3)];
    one.step("x");
    two.step("y");
    await sleep(150);
    one.stop();
    two.stop();
    assert.equal(output.text, "");
  });
});

describe("on a terminal", () => {
  test("a spinner stays away from quick work", () => {
    const output = new Recorder(true);
    spinner(output, "lamp", 60_000).stop();
    assert.doesNotMatch(output.text, /lamp/);
  });

  test("a spinner shows what it waits for, with the seconds, and erases itself", async () => {
    const output = new Recorder(true);
    const progress = spinner(output, "lamp", 0);
    while (!output.text.includes("lamp")) await sleep(20);
    progress.stop();
    assert.match(output.text, /lamp \d+ s/);
    assert.ok(output.text.endsWith("\r\u001b[K"));
  });

  test("a spinner whose text is too long still shows the seconds", async () => {
    const output = new Recorder(true);
    const progress = spinner(output, "a label that is far too long for this terminal", 0);
    while (!output.text.includes("a label")) await sleep(20);
    progress.stop();
    assert.match(output.text, /a label that is far too long.*… \d+ s/);
  });

  test("a bar counts its steps and is no wider than the terminal", () => {
    const output = new Recorder(true);
    const progress = progressBar(output, 2);
    progress.step("first");
    progress.step("a label that is far too long for this terminal");
    progress.stop();
    assert.match(output.text, /0\/2 first/);
    assert.match(output.text, /1\/2 a label/);
    assert.match(output.text, /…/);
  });
});

test("a bar is as full as the work is done", () => {
  assert.equal(bar(0, 4, "x"), `[${"·".repeat(20)}] 0/4 x`);
  assert.equal(bar(1, 2, "x"), `[${"█".repeat(10)}${"·".repeat(10)}] 1/2 x`);
  assert.equal(bar(4, 4, "x"), `[${"█".repeat(20)}] 4/4 x`);
});
