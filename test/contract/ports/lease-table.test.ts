/** The table of owners over the simulation's database, which is the reference; over PostgreSQL in test/cluster. */
import { OwnerTable } from "../../simulation/database.ts";
import { describeLeaseTable } from "./lease-table-suite.ts";

describeLeaseTable("the simulation", async () => {
  let now = 1;
  let boots = 0;
  const owners = new OwnerTable(() => now);
  return {
    table: {
      request: async (by, request) => owners.execute(by, request),
      nextBoot: async () => String(++boots).padStart(6, "0"),
    },
    pass: async (ms) => {
      now += ms;
    },
  };
});
