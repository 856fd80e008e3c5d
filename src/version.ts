/** Who we are, for handshakes, `--version` and the page. A test compares it with package.json. */
export const NAME = "zaguan";
export const VERSION = "0.1.0";
