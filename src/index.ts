/** What the package offers to programs that embed Zaguan. */
export type { ServeOptions, ZaguanConfig } from "./config/types.ts";
export type { CallRequest, Principal, Priority, ToolDefinition } from "./core/call.ts";
export type { Gateway, ListedTool } from "./core/gateway.ts";
export { ERRORS, type ErrorCode, ZaguanError } from "./errors.ts";
export { VERSION } from "./version.ts";
export { type OpenOptions, openZaguan, type Zaguan } from "./zaguan.ts";
