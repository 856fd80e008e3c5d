/** Voice boxes of the xiaozhi family: those that dial in, and voice clouds that are dialled. */
import { fields, type Guide, heading, json, note, text, variable } from "./guide.ts";
import type { Place } from "./place.ts";

export const xiaozhi: Guide = (place) => [
  heading("connect.xiaozhi.in"),
  text("connect.xiaozhi.inText"),
  fields(
    "connect.xiaozhi.pyXiaozhi",
    ["WEBSOCKET_URL", deviceAddress(place)],
    ["WEBSOCKET_ACCESS_TOKEN", place.key ?? "–"],
  ),
  text("connect.xiaozhi.firmware"),
  ...(place.target.kind === "hub" ? [] : [note("connect.xiaozhi.limited")]),
  heading("connect.xiaozhi.out"),
  text("connect.xiaozhi.outText"),
  json("connect.zaguanFile", dialled(place)),
  text(place.target.kind === "agent" ? "connect.xiaozhi.asAgent" : "connect.xiaozhi.asHub"),
];

/** Boxes have one address, whatever they may use there. */
export function deviceAddress({ base }: Place): string {
  return `${base.replace(/^http/, "ws")}xiaozhi/v1/`;
}

function dialled({ target: { kind, name } }: Place): object {
  const url = `wss://api.xiaozhi.me/mcp/?token=${variable("XIAOZHI_TOKEN")}`;
  return { xiaozhi: { endpoints: [{ url, ...(kind === "agent" && { agent: name }) }] } };
}
