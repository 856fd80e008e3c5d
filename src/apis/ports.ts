/** What the keeper of APIs asks of the rest of the house. The composition root gives the real things. */
import type { OperationsOptions, ReadApi } from "../openapi/operations.ts";
import type { ApiOperation, ApiOptions } from "../sources/api/operation.ts";

/** The hub, as far as APIs are put into it. */
export interface ApiAttachments {
  /** In the place of the one of that name; one that is offered so already is left alone. The file has the last word on a name. */
  attach(name: string, options: ApiOptions, concurrency: number | undefined): Promise<void>;
  detach(name: string): Promise<void>;
  /** Tells clients that what they may use has changed. */
  announce(): void;
}

export interface DocumentReader {
  /** The text of a document on the web, through the guard against private addresses. */
  fetch(url: string, allowPrivate: boolean): Promise<string>;
  /** Beside the hub's own work: a large document takes a second and more. */
  read(text: string, options: OperationsOptions): Promise<ReadApi>;
}

export interface ApiChecker {
  /** Whether the API answers, asked in a way that changes nothing there. */
  isHealthy(name: string, options: ApiOptions, operation: ApiOperation): Promise<boolean>;
}
