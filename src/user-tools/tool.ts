/**
 * A tool of one's own, in the words of seed 002: a name, a description, a few properties and a handler. The abilities of
 * this machine are written in the same words. Types only.
 */
import type { Principal } from "../core/call.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { Language } from "../messages/catalogue.ts";

interface Described {
  readonly description?: string | undefined;
}

/** What has a default need not be given. */
export interface BooleanProperty extends Described {
  readonly type: "boolean";
  readonly default?: boolean | undefined;
}

export interface IntegerProperty extends Described {
  readonly type: "integer";
  readonly default?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

export interface StringProperty extends Described {
  readonly type: "string";
  readonly default?: string | undefined;
  readonly enum?: readonly string[] | undefined;
}

export type Property = BooleanProperty | IntegerProperty | StringProperty;
export type Properties = Readonly<Record<string, Property>>;

type ValueOf<P extends Property> = P extends BooleanProperty ? boolean : P extends IntegerProperty ? number : string;

/** Every property is there when the handler runs: given, or its default. */
export type ArgumentsOf<P extends Properties> = { readonly [Name in keyof P]: ValueOf<P[Name]> };

export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "audio"; readonly data: string; readonly mimeType: string };

/** Text is what a boolean, a number or a string become; a plain object becomes its JSON, as text and structured. */
export type ToolAnswer = boolean | number | string | Content | readonly Content[] | Readonly<Record<string, unknown>>;

export interface HandlerContext {
  /** The caller's. */
  readonly language: Language;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: CancelSignal;
  /** Who calls, for abilities that do something in somebody's place. */
  readonly principal?: Principal | undefined;
}

export interface UserTool<P extends Properties = Properties> {
  readonly name: string;
  readonly description: string;
  /** In other languages. */
  readonly descriptions?: Readonly<Partial<Record<Language, string>>> | undefined;
  readonly properties?: P | undefined;
  /** It only looks: it may be called again. @default false */
  readonly readOnly?: boolean | undefined;
  /** What it throws is the tool's failure, told to the caller by its message alone. */
  handler(args: ArgumentsOf<P>, context: HandlerContext): ToolAnswer | Promise<ToolAnswer>;
}

/** Of any properties; only `addTool` knows which. */
// biome-ignore lint/suspicious/noExplicitAny: a handler of narrower arguments is no handler of wider ones.
export type AnyUserTool = UserTool<any>;

export type AddTool = <const P extends Properties>(tool: UserTool<P>) => void;

/** Registers a group of tools. */
export type Manager = (addTool: AddTool) => void | Promise<void>;
