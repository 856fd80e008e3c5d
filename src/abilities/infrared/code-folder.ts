/** The folder of codes: `<name>.hex` files, and what is known of them in `codes_meta.json`, as the Python original has them. */
import { mkdir, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { OneAtATime } from "../shared/tools.ts";
import {
  type CodeChange,
  type CodeInfo,
  EXTENSION,
  fileFailure,
  fileInside,
  formatMeta,
  infoOf,
  type Meta,
  NO_META,
  parseMeta,
  pathOfCode,
  readInside,
  withChange,
  writeWhole,
} from "./code-files.ts";
import { InfraredFailure } from "./failure.ts";
import { hexOf, parseHex } from "./frame.ts";

interface ListedCode extends CodeInfo {
  readonly name: string;
  readonly path: string;
}

const META_FILE = "codes_meta.json";

export class CodeFolder {
  readonly path: string;
  readonly #log: (line: string) => void;
  /** Writers of the one meta file, one after the other. */
  readonly #writing = new OneAtATime();

  constructor(path: string, log: (line: string) => void) {
    this.path = resolve(path);
    this.#log = log;
  }

  /** By name; undefined if there is no such folder. */
  async list(): Promise<readonly ListedCode[] | undefined> {
    const names = await this.#names();
    if (!names) return undefined;
    const meta = await this.#metaOrNone();
    return names.map((name) => ({ name, path: pathOfCode(this.path, name), ...infoOf(meta, name) }));
  }

  async info(name: string): Promise<ListedCode> {
    const path = await this.#existing(name);
    return { name, path, ...infoOf(await this.#metaOrNone(), name) };
  }

  async read(name: string): Promise<Buffer> {
    const path = pathOfCode(this.path, name);
    const text = await readInside(path);
    if (text === undefined) throw new InfraredFailure("infrared.noFile", { path });
    const code = parseHex(text);
    if (!code) throw new InfraredFailure("infrared.badHex");
    return code;
  }

  /** Resolves with the entry as it is now, unknown members included. */
  async change(name: string, change: CodeChange): Promise<Readonly<Record<string, unknown>>> {
    const path = await this.#existing(name);
    return { name, path, ...(await this.#writeMeta(name, change)) };
  }

  /** Learning may take half a minute: that there is no place for its result is said before. */
  async prepare(name: string | undefined): Promise<void> {
    if (name !== undefined) pathOfCode(this.path, name);
    await mkdir(this.path, { recursive: true }).catch((error) => {
      throw fileFailure(this.path, error);
    });
  }

  /** Under a name that its time gives it, if it has none. A code of that name is replaced. */
  async save(name: string | undefined, code: Uint8Array, change: CodeChange): Promise<{ name: string; path: string }> {
    const given = name ?? (await this.#freeName());
    const path = pathOfCode(this.path, given);
    await writeWhole(path, hexOf(code));
    const says = Object.values(change).some((value) => value !== undefined);
    if (name !== undefined || says) await this.#writeMeta(given, change);
    return { name: given, path };
  }

  async #names(): Promise<readonly string[] | undefined> {
    const entries = await readdir(this.path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
      throw fileFailure(this.path, error);
    });
    if (!entries) return undefined;
    const codes = entries.filter(({ name }) => name.endsWith(EXTENSION) && name !== EXTENSION);
    const own = await Promise.all(
      codes.map(async (entry) => entry.isFile() || (entry.isSymbolicLink() && (await this.#leadsInside(entry.name)))),
    );
    const names = codes.filter((_code, index) => own[index]).map(({ name }) => name.slice(0, -EXTENSION.length));
    return names.sort();
  }

  async #leadsInside(file: string): Promise<boolean> {
    return (await fileInside(join(this.path, file))) !== undefined;
  }

  async #existing(name: string): Promise<string> {
    const path = pathOfCode(this.path, name);
    if ((await fileInside(path)) === undefined) throw new InfraredFailure("infrared.noFile", { path });
    return path;
  }

  async #freeName(): Promise<string> {
    for (let second = Math.floor(Date.now() / 1000); ; second += 1) {
      const name = `ir_code_${second}`;
      if ((await fileInside(pathOfCode(this.path, name))) === undefined) return name;
    }
  }

  /** A file that cannot be read hides nothing but descriptions: the codes themselves still work. */
  async #metaOrNone(): Promise<Meta> {
    try {
      return await this.#meta();
    } catch (error) {
      this.#log(`${META_FILE} cannot be read: ${(error as Error).message}`);
      return NO_META;
    }
  }

  async #meta(): Promise<Meta> {
    const text = await readInside(join(this.path, META_FILE));
    return text === undefined ? NO_META : parseMeta(text);
  }

  #writeMeta(name: string, change: CodeChange): Promise<Readonly<Record<string, unknown>>> {
    return this.#writing.run(() => this.#rewriteMeta(name, change));
  }

  async #rewriteMeta(name: string, change: CodeChange): Promise<Readonly<Record<string, unknown>>> {
    const meta = await this.#meta().catch((error) => {
      this.#log(`${META_FILE} cannot be read: ${(error as Error).message}`);
      throw new InfraredFailure("infrared.metaFailed", {}, new InfraredFailure("infrared.metaUnreadable"));
    });
    const [changed, entry] = withChange(meta, name, change);
    await writeWhole(join(this.path, META_FILE), formatMeta(changed)).catch((error: InfraredFailure) => {
      throw new InfraredFailure("infrared.metaFailed", {}, error.cause ?? error);
    });
    return entry;
  }
}
