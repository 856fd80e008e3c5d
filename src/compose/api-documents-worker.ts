/** The thread in which one document is read. */
import { parentPort, workerData } from "node:worker_threads";
import type { OperationsOptions } from "../openapi/operations.ts";
import { outcomeOf } from "./api-document.ts";

const { text, options } = workerData as { readonly text: string; readonly options: OperationsOptions };
parentPort?.postMessage(outcomeOf(text, options));
