/** The ports of what several nodes share, over their implementations for one process. */
import { randomToken } from "../../../src/compose/system.ts";
import { LocalAnswerCache } from "../../../src/core/shared/answer-cache.ts";
import { LocalChanges } from "../../../src/core/shared/changes.ts";
import { localForDoors } from "../../../src/core/shared/for-doors.ts";
import { LocalOwners } from "../../../src/core/shared/owners.ts";
import { LocalRates } from "../../../src/core/shared/rates.ts";
import { LocalReplayLogs } from "../../../src/core/shared/replay-log.ts";
import { LocalSessionTable } from "../../../src/core/shared/session-table.ts";
import { describeAnswerCache } from "./answer-cache-suite.ts";
import { describeChanges } from "./changes-suite.ts";
import { describeOwners } from "./owners-suite.ts";
import { describeRates } from "./rates-suite.ts";
import { describeReplayLogs } from "./replay-logs-suite.ts";
import { describeSessionTable } from "./session-table-suite.ts";
import { describeSuspendedCalls } from "./suspended-calls-suite.ts";

describeAnswerCache("one process", (maxBytes) => new LocalAnswerCache(maxBytes));
describeChanges("one process", () => ({ changes: new LocalChanges(), arrived: async () => {} }));
describeRates("one process", (callsPerMinute) => new LocalRates(callsPerMinute));
describeOwners("one process", async () => [new LocalOwners()]);
describeReplayLogs("one process", () => new LocalReplayLogs());
describeSessionTable("one process", (most) => new LocalSessionTable(most));
describeSuspendedCalls("one process", () => {
  const shared = localForDoors(randomToken);
  return [shared.openSuspended("mcp"), shared.openSuspended("websocket")];
});
