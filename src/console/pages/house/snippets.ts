/** Pieces of `zaguan.json` that bring what is missing, and the address at which devices dial in. */

export const HOUSE_PIECE = `{
  "devices": { "house": true }
}`;

export const LAMPS_PIECE = `{
  "devices": {
    "house": { "lights": ["hall", "kitchen", "bedroom"] }
  }
}`;

export const HOME_ASSISTANT_PIECE = `{
  "homeAssistant": {
    "url": "http://192.168.1.22:8123",
    "token": "\${HASS_TOKEN}"
  }
}`;

/** @param page the address of this page: the hub is reached by the same way. */
export function deviceAddress(page: string): string {
  const address = new URL("xiaozhi/v1/", page);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return address.href;
}
