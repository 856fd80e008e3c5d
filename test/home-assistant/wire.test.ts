/**
 * What our code and our simulated Home Assistant take for granted about the wire, held against the real one. Nothing of src
 * is used here: if one of these fails, Home Assistant is not what we believe. The parts are in wire/ and share one house.
 */
import { after, before } from "node:test";
import { HOME_ASSISTANT_VERSION } from "../../scripts/home-assistant.ts";
import { House } from "./support/house.ts";
import { describeWithRealHome } from "./support/real-home-only.ts";
import { automations } from "./wire/automations.ts";
import { commands } from "./wire/commands.ts";
import { history } from "./wire/history.ts";
import { restApi } from "./wire/rest.ts";
import { restart } from "./wire/restart.ts";
import { subscriptions } from "./wire/subscriptions.ts";

describeWithRealHome(`the wire of Home Assistant ${HOME_ASSISTANT_VERSION}`, () => {
  const house = new House();
  before(() => house.open());
  after(() => house.close());
  for (const part of [restApi, history, automations, commands, subscriptions, restart]) part(house);
});
