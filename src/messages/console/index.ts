/** Everything that the console's page says. Not part of the hub's own catalogue, since only a browser ever asks for it. */
import { AGENTS_PAGE_MESSAGES } from "./agents.ts";
import { CALLS_PAGE_MESSAGES } from "./calls.ts";
import { CONNECT_PAGE_MESSAGES } from "./connect.ts";
import { FIGURES_PAGE_MESSAGES } from "./figures.ts";
import { HOUSE_PAGE_MESSAGES } from "./house.ts";
import { SERVERS_PAGE_MESSAGES } from "./servers.ts";
import { SHELL_MESSAGES } from "./shell.ts";
import { TOOLS_PAGE_MESSAGES } from "./tools.ts";

type ConsoleCatalogue = typeof AGENTS_PAGE_MESSAGES &
  typeof CALLS_PAGE_MESSAGES &
  typeof CONNECT_PAGE_MESSAGES &
  typeof FIGURES_PAGE_MESSAGES &
  typeof HOUSE_PAGE_MESSAGES &
  typeof SERVERS_PAGE_MESSAGES &
  typeof SHELL_MESSAGES &
  typeof TOOLS_PAGE_MESSAGES;

export const CONSOLE_MESSAGES: ConsoleCatalogue = {
  ...AGENTS_PAGE_MESSAGES,
  ...CALLS_PAGE_MESSAGES,
  ...CONNECT_PAGE_MESSAGES,
  ...FIGURES_PAGE_MESSAGES,
  ...HOUSE_PAGE_MESSAGES,
  ...SERVERS_PAGE_MESSAGES,
  ...SHELL_MESSAGES,
  ...TOOLS_PAGE_MESSAGES,
};

export type ConsoleKey = keyof ConsoleCatalogue;
