/** The first owner of a fresh Home Assistant and a token that lasts, without a browser. */

const OWNER = { name: "Owner", username: "owner", password: "not-a-secret", language: "en" };
export const TOKEN_NAME = "zaguan";
const TOKEN_DAYS = 3_650;

/** The long-lived token. */
export async function onboard(url: string): Promise<string> {
  const client_id = `${url}/`;
  const json = { "content-type": "application/json" };
  const owner = JSON.stringify({ client_id, ...OWNER });
  const { auth_code } = await post(`${url}/api/onboarding/users`, owner, json);
  const form = new URLSearchParams({ grant_type: "authorization_code", code: auth_code ?? "", client_id });
  const { access_token } = await post(`${url}/auth/token`, form);
  return await longLivedToken(url, access_token ?? "");
}

async function post(
  url: string,
  body: string | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(url, { method: "POST", body, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, string>;
}

/** Only the WebSocket API gives one. */
function longLivedToken(url: string, access_token: string): Promise<string> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/websocket`);
  const wish = { id: 1, type: "auth/long_lived_access_token", client_name: TOKEN_NAME, lifespan: TOKEN_DAYS };
  const token = new Promise<string>((resolve, reject) => {
    socket.onmessage = ({ data }): void => {
      const message = JSON.parse(String(data)) as { type: string; success?: boolean; result?: string };
      if (message.type === "auth_required") socket.send(JSON.stringify({ type: "auth", access_token }));
      else if (message.type === "auth_ok") socket.send(JSON.stringify(wish));
      else if (message.success && message.result) resolve(message.result);
      else reject(new Error(`no long-lived token: ${String(data)}`));
    };
    socket.onclose = ({ code }): void => reject(new Error(`no long-lived token: the socket closed with ${code}`));
  });
  return token.finally(() => socket.close());
}
