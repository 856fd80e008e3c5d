/** What the endpoints that we dial need of the hub and of the world. */
import type { Principal } from "../../core/call.ts";
import type { Gateway } from "../../core/gateway.ts";
import type { OffersGateway } from "../../core/offers.ts";
import type { Clock, Random } from "../../core/ports.ts";
import type { SharedByDoors } from "../../core/shared/for-doors.ts";
import type { Log } from "../../observe/log.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import type { DocumentTable } from "../../store/store.ts";

export interface XiaozhiPorts {
  readonly gateway: Gateway;
  readonly offers: OffersGateway;
  readonly shared: Pick<SharedByDoors, "openSuspended">;
  limits(): XiaozhiLimits;
  /** Where the ids that we have as a device are kept. */
  readonly documents: Pick<DocumentTable, "update">;
  /** The agent of that name, in the place of this caller; rejects if there is none. */
  actingAs(agent: string, principal: Principal): Promise<Principal>;
  readonly log: Pick<Log, "debug" | "info" | "warn">;
  readonly clock: Clock;
  readonly random: Random;
  /** Every URL may lead to a private address, whatever its entry says. @default false */
  readonly allowPrivate?: boolean | undefined;
  /** Between pings; two without a sign of life in answer end a connection. @default 30 s */
  readonly pingMs?: number | undefined;
  report(cause: unknown): string;
}

interface XiaozhiLimits extends ScanLimits {
  /** Of one message that comes. */
  readonly messageBytes: number;
  /** How many subscriptions there may be, and how many calls that wait for their client. */
  readonly sessions: number;
  /** How long running calls may go on when their connection is to end. */
  readonly graceMs: number;
}
