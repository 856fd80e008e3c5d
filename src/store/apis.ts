/**
 * REST APIs that are tools: what is said of each, and of its tools. An API is a server of the registry as well, under the
 * same id and name, so that agents can be linked to its tools. A contract like `store.ts`.
 */

/** A tool described by itself, a provider of several, or an OpenAPI document. */
export type ApiKind = "tool" | "provider" | "openapi";

export interface NewApi {
  /** Made by the writer, who seals secrets with it. */
  readonly id: string;
  /** Unique among all servers, without regard to case. */
  readonly name: string;
  readonly kind: ApiKind;
  readonly baseUrl: string;
  readonly enabled: boolean;
  /** Whoever described it was allowed to name a private address. */
  readonly allowPrivate: boolean;
  /** JSON, opaque here. */
  readonly described: string;
  /** Credentials, encrypted; opaque here. */
  readonly sealed?: string | undefined;
}

export interface ApiRecord extends NewApi {
  readonly createdUtc: string;
  readonly updatedUtc: string;
}

export interface NewApiTool {
  /** Of a known one that may have another code now; else it is known by its code. */
  readonly id?: string | undefined;
  /** Unique in its API; those of tools and providers are unique among themselves. */
  readonly code: string;
  readonly enabled: boolean;
  /** JSON, opaque here. */
  readonly described: string;
}

export interface ApiToolRecord extends NewApiTool {
  readonly id: string;
  readonly apiId: string;
  /** Undefined until somebody looked. */
  readonly healthy?: boolean | undefined;
  readonly checkedUtc?: string | undefined;
  readonly createdUtc: string;
  readonly updatedUtc: string;
}

/** An API with all its tools, as it shall be from now on. Tools keep their ids by their codes. */
export interface ApiWrite {
  readonly api: NewApi;
  readonly tools: readonly NewApiTool[];
}

export interface ApiTable {
  /**
   * All in one: new ones are made, known ones changed by their ids. Rejects with `NameTaken`, and writes nothing, if a name
   * or a code is somebody else's.
   */
  save(writes: readonly ApiWrite[]): Promise<void>;
  get(id: string): Promise<ApiRecord | undefined>;
  /** Without regard to case. */
  findByName(name: string): Promise<ApiRecord | undefined>;
  /** In the order of creation. */
  list(): Promise<readonly ApiRecord[]>;
  /** With its tools and their links. Tells whether there was one. */
  delete(id: string): Promise<boolean>;
  /** In the order of their APIs and, in each, of its list. */
  tools(apiId?: string): Promise<readonly ApiToolRecord[]>;
  /** By id or code, among those of tools and providers; the id wins. */
  findTool(idOrCode: string): Promise<ApiToolRecord | undefined>;
  noteHealth(toolId: string, healthy: boolean, checkedUtc: string): Promise<void>;
}
