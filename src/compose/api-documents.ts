/**
 * OpenAPI documents: fetched through the guard against private addresses, and read in a thread of their own, because the
 * largest take a second and more, and a hostile one as much as it is given. What is small takes less time than a thread to
 * start.
 */
import { Worker } from "node:worker_threads";
import type { DocumentReader } from "../apis/book.ts";
import { ZaguanError } from "../errors.ts";
import { HttpCaller } from "../link/http-call.ts";
import { READ_LIMITS } from "../openapi/limits.ts";
import type { OperationsOptions } from "../openapi/operations.ts";
import { VERSION } from "../version.ts";
import { outcomeOf, type ReadOutcome } from "./api-document.ts";

const FETCH_MS = 20_000;
const READ_MS = 30_000;
const MOST_MEGABYTES = 1_024;
const SMALL_JSON_CHARS = 100_000;
const SMALL_YAML_CHARS = 5_000;
const ACCEPT = "application/json, application/yaml;q=0.9, text/yaml;q=0.9, */*;q=0.5";

export const documentReader: DocumentReader = {
  fetch: fetchDocument,
  read: async (text, options) => {
    const { read, refused } = isSmall(text)
      ? outcomeOf(text, options)
      : await inTurn(() => readInThread(text, options));
    if (read) return read;
    throw new ZaguanError("INVALID_PARAMS", refused ?? { params: { reason: "it could not be read" } });
  },
};

/** YAML takes thirty times as long as JSON. */
function isSmall(text: string): boolean {
  return text.length < (/^\s*\{/.test(text) ? SMALL_JSON_CHARS : SMALL_YAML_CHARS);
}

let lastRead: Promise<unknown> = Promise.resolve();

/** One thread at a time: each may take as much memory as all the rest of the hub. */
function inTurn<Result>(read: () => Promise<Result>): Promise<Result> {
  const turn = lastRead.then(read);
  lastRead = turn.catch(() => {});
  return turn;
}

async function fetchDocument(url: string, allowPrivate: boolean): Promise<string> {
  const name = new URL(url).host;
  const caller = new HttpCaller({ name, allowPrivate });
  try {
    const headers = { accept: ACCEPT, "accept-encoding": "identity", "user-agent": `zaguan/${VERSION}` };
    const bounds = { follow: true, maxBytes: READ_LIMITS.bytes, limitMs: FETCH_MS };
    const { status, bytes, isCut } = await caller.call({ method: "GET", url, headers, ...bounds });
    if (status !== 200) throw unreadable(`the address of the document answered with HTTP status ${status}`);
    if (isCut) throw unreadable(`the document is larger than ${READ_LIMITS.bytes / 1_000_000} MB`);
    return new TextDecoder().decode(bytes);
  } finally {
    await caller.close();
  }
}

/** Beside the thread itself nothing is left of it, however it ends. */
async function readInThread(text: string, options: OperationsOptions): Promise<ReadOutcome> {
  const worker = new Worker(new URL(workerFile(), import.meta.url), {
    workerData: { text, options },
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  });
  try {
    return await messageOf(worker);
  } finally {
    await worker.terminate();
  }
}

function messageOf(worker: Worker): Promise<ReadOutcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unreadable("the document takes too long to read")), READ_MS);
    worker.once("message", (outcome: ReadOutcome) => {
      clearTimeout(timer);
      resolve(outcome);
    });
    worker.once("error", (cause: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const isTooMuch = cause.code === "ERR_WORKER_OUT_OF_MEMORY";
      reject(isTooMuch ? unreadable("the document takes too much memory to read") : cause);
    });
  });
}

/** As this very file is: written, or compiled. */
function workerFile(): string {
  return import.meta.url.endsWith(".ts") ? "./api-documents-worker.ts" : "./api-documents-worker.js";
}

function unreadable(reason: string): ZaguanError {
  return new ZaguanError("INVALID_PARAMS", {
    params: { reason },
    data: { errors: [{ field: "document", message: reason }] },
  });
}
