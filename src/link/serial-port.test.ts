import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { noModule, SimulatedModule } from "../../test/support/infrared/module.ts";
import { openFiles, ownChildren, until } from "../../test/support/processes.ts";
import { runProgram } from "../../test/support/run-program.ts";
import { openSerialPort, type SerialPort, SerialPortError } from "./serial-port.ts";

const never = (): boolean => false;
const atOnce = (): boolean => true;
const BAUD = 115_200;
const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_nothing, byte) => byte));

describe("a serial port", { skip: noModule }, () => {
  let module: SimulatedModule;
  let folder: string;
  const opened: SerialPort[] = [];

  async function openPort(port: string = module.port, baud: number = BAUD): Promise<SerialPort> {
    const serial = await openSerialPort({ port, baud });
    opened.push(serial);
    return serial;
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "serial-"));
  });
  after(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    module = await SimulatedModule.start();
  });
  afterEach(async () => {
    for (const port of opened.splice(0)) await port.close();
    await module.close();
  });

  it("is set to its speed, eight bits, no parity, no flow control, bytes as they are", async () => {
    await openPort(module.port, 9600);
    const { stdout } = await runProgram("stty", ["-F", module.port, "-a"]);
    assert.match(stdout, /speed 9600 baud/);
    for (const setting of ["-parenb", "cs8", "-cstopb", "clocal", "-crtscts", "-icanon", "-echo", "-ixon", "-opost"]) {
      assert.match(stdout, new RegExp(`(?<![\\w-])${setting}(?![\\w-])`), setting);
    }
  });

  it("passes all bytes in both directions, and none twice", async () => {
    const port = await openPort();
    await module.raw(ALL_BYTES.toString("hex"));
    let seen = Buffer.alloc(0);
    while (seen.length < 256) seen = Buffer.concat([seen, (await port.read(never)) ?? assert.fail("it is over")]);
    assert.deepEqual(seen, ALL_BYTES);
    await port.write(ALL_BYTES, never);
    const told = (): string => module.noise.join("").replaceAll("noise ", "");
    await until("the module has heard all of it", () => told().length >= 512);
    assert.equal(told(), ALL_BYTES.toString("hex"));
    assert.equal(await port.read(atOnce), undefined);
  });

  it("forgets what came before it was opened", async () => {
    await module.raw("55 55 55");
    const port = await openPort();
    await module.raw("66");
    assert.deepEqual(await port.read(never), Buffer.of(0x66));
  });

  it("waits for bytes until it is over, and then gives none", async () => {
    const port = await openPort();
    assert.equal(await port.read(atOnce), undefined);
    let over = false;
    const reading = port.read(() => over);
    over = true;
    assert.equal(await reading, undefined);
  });

  it("gives what is there, even though it is over", async () => {
    const port = await openPort();
    await module.raw("01 02");
    let seen: Buffer | undefined;
    while (!seen) seen = await port.read(atOnce);
    assert.deepEqual(seen, Buffer.of(1, 2));
  });

  it("has one user at a time, by whatever name it is opened", async () => {
    const port = await openPort();
    const other = join(folder, "other-name");
    await symlink(module.port, other);
    for (const name of [module.port, other]) assert.equal((await faultOf(openPort(name))).fault, "busy");
    await port.close();
    await openPort(other);
  });

  it("is free again after it could not be set up", async () => {
    assert.equal((await faultOf(openPort(module.port, 12_345))).fault, "refused");
    await openPort();
  });

  it("is lost when the device is unplugged, for who reads and for who writes", async () => {
    const port = await openPort();
    const reading = faultOf(port.read(never));
    await module.unplug();
    assert.equal((await reading).fault, "gone");
    assert.equal((await faultOf(port.write(Buffer.of(1), never))).fault, "gone");
  });

  it("says that a line takes nothing more", async () => {
    const port = await openPort();
    await module.mode("deaf");
    assert.equal((await faultOf(port.write(Buffer.alloc(1_000_000), atOnce))).fault, "stalled");
  });

  it("says what is wrong with a name", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const cases = [
      [join(folder, "nothing"), "system ENOENT"],
      [join(file, "nothing"), "system ENOTDIR"],
      [folder, "not_serial"],
      [file, "not_serial"],
      ["/dev/null", "not_serial"],
      ["", "system ENOENT"],
    ] as const;
    for (const [name, reason] of cases) {
      const { code, details } = await faultOf(openPort(name));
      assert.deepEqual([code, details.params], ["SOURCE_UNAVAILABLE", { source: name, reason }]);
    }
  });

  it("says that we may not open it", async () => {
    await chmod(module.port, 0);
    const { fault, detail } = await asNobody(() => faultOf(openPort()));
    assert.deepEqual([fault, detail], ["system", "EACCES"]);
  });

  it("says that there is no stty, and what stty says", async () => {
    const missing = await faultOf(openSerialPort({ port: module.port, baud: BAUD, path: folder }));
    assert.equal(missing.fault, "no_stty");
    for (const baud of [12_345, Number.NaN, 0, -9600, 9600.5, Number.POSITIVE_INFINITY]) {
      const { fault, detail } = await faultOf(openPort(module.port, baud));
      assert.equal(fault, "refused");
      assert.match(detail, new RegExp(`invalid .*'${baud}'`));
    }
  });

  it("leaves no file and no process behind, however it ends", async () => {
    await (await openPort()).close();
    const [files, children] = [openFiles(), ownChildren().length];
    for (let round = 0; round < 5; round += 1) {
      await (await openPort()).close();
      await faultOf(openPort(module.port, 12_345));
      await faultOf(openPort(folder));
      await faultOf(openSerialPort({ port: module.port, baud: BAUD, path: folder }));
    }
    const port = await openPort();
    await Promise.all([port.close(), port.close()]);
    await until("nothing is left", () => openFiles() <= files && ownChildren().length <= children);
  });
});

async function faultOf(work: Promise<unknown>): Promise<SerialPortError> {
  const error = await work.then(
    () => assert.fail("it did not fail"),
    (reason: unknown) => reason,
  );
  return error instanceof SerialPortError ? error : assert.fail(String(error));
}

/** The superuser may open everything; who is it stands back for a moment. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return await work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
