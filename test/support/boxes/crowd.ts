/**
 * Many boxes in one process, so many of them dialling at once: told by its parent when to come and when to leave, and
 * telling it when all have.
 */
import process from "node:process";
import { Box, type BoxEvents, type Dialled } from "./box.ts";
import { IdleClient } from "./idle-client.ts";

/** Voice boxes, or plain clients that do nothing. */
export type Who = "boxes" | "clients";

/** Of the parent's. */
export type Order =
  | {
      readonly do: "come";
      readonly who: Who;
      readonly url: string;
      readonly key?: string;
      readonly first: number;
      readonly count: number;
    }
  | { readonly do: "leave" };

export interface Report {
  readonly compressed: number;
  /** Of those that were sent away, or never let in. */
  readonly lost: number;
}

const AT_ONCE = 100;
let boxes: Dialled[] = [];

process.on("message", (order: Order) => {
  if (order.do === "come") come(order);
  else leave();
});
process.on("disconnect", () => process.exit());

function come({ who, url, key, first, count }: Order & { do: "come" }): void {
  let done = 0;
  let lost = 0;
  const next = (): void => {
    if (boxes.length < count) add();
  };
  const settled = (): void => {
    next();
    if (++done === count) tell({ compressed: boxes.filter((box) => box.isCompressed).length, lost });
  };
  const add = (): void => {
    let isListed = false;
    const listed = (): void => {
      if (!isListed) settled();
      isListed = true;
    };
    const left = (): void => {
      if (!isLeaving) lost++;
      listed();
      if (isLeaving && --present === 0) tell({ compressed: 0, lost });
    };
    const events: BoxEvents = { listed, left };
    boxes.push(who === "boxes" ? new Box(url, first + boxes.length, events, key) : new IdleClient(url, events, key));
  };
  boxes = [];
  isLeaving = false;
  present = count;
  for (let place = 0; place < Math.min(AT_ONCE, count); place++) next();
}

let isLeaving = false;
let present = 0;

function leave(): void {
  isLeaving = true;
  for (const box of boxes) box.leave();
}

function tell(report: Report): void {
  process.send?.(report);
}
