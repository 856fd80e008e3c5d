/** How the state of a source looks. */
import type { SourceState } from "../../../core/events.ts";
import type { Tone } from "../../kit/parts.ts";

export const STATE_TONES: Readonly<Record<SourceState, Tone>> = {
  idle: "quiet",
  starting: "busy",
  installing: "busy",
  ready: "good",
  waiting: "warn",
  broken: "bad",
  closed: "quiet",
};
