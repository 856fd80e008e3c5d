/** One Chromium for all tests of a file, with nothing of its own that would ask anybody anything. */
import process from "node:process";
import { chromium } from "../../../scripts/chromium.ts";
import { type Browser, loadPlaywright } from "./playwright.ts";

const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-default-apps",
  "--no-default-browser-check",
  // Frames are measured: a window that nobody sees must not be slowed down for that.
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
];

/** With a user's folder of its own, which goes with it. Its sandbox cannot be had as root. */
export async function openBrowser(): Promise<Browser> {
  const playwright = await loadPlaywright();
  const isRoot = process.getuid?.() === 0;
  return playwright.chromium.launch({ executablePath: chromium(), args: QUIET, chromiumSandbox: !isRoot });
}
