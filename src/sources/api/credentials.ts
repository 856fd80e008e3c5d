/** The credentials of an API while it is connected: tokens are fetched when they are needed, and again when they have ended. */
import type { Clock } from "../../core/ports.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { HttpCaller, HttpReply } from "../../link/http-call.ts";
import { Redaction } from "../../security/redaction.ts";
import { type Credentials, credentialsOf, needsToken, secretsOf } from "./auth.ts";
import { fetchAccessToken } from "./oauth.ts";
import type { ApiAuth, TokenAuth } from "./operation.ts";
import { KeptToken } from "./token.ts";
import { requestToken, saysEnded } from "./token-request.ts";

/** Tokens by what they were given for. */
export type Tokens = ReadonlyMap<TokenAuth, string>;

export class CredentialStore {
  readonly #kept: ReadonlyMap<TokenAuth, KeptToken>;
  readonly #secrets: readonly string[];
  readonly #redaction: Redaction;

  constructor(options: Parameters<typeof secretsOf>[0], caller: HttpCaller, clock: Clock, source: string) {
    const auths = Object.values(options.auths).filter(needsToken);
    this.#kept = new Map(auths.map((auth) => [auth, new KeptToken(() => fetchToken(auth, caller, source), clock)]));
    this.#secrets = secretsOf(options);
    this.#redaction = new Redaction(this.#secrets);
  }

  /** Rejects with a ZaguanError where one cannot be had. */
  async tokensFor(auths: readonly ApiAuth[], signal: CancelSignal): Promise<Tokens> {
    const tokens = new Map<TokenAuth, string>();
    for (const auth of auths) {
      const kept = needsToken(auth) ? this.#kept.get(auth) : undefined;
      if (kept) tokens.set(auth as TokenAuth, await kept.get(signal));
    }
    return tokens;
  }

  credentials(auths: readonly ApiAuth[], tokens: Tokens): Credentials {
    return credentialsOf(auths, (auth) => tokens.get(auth) ?? "");
  }

  /** Whether some of them have ended, by this answer; the next who asks gets new ones. */
  haveEnded(tokens: Tokens, reply: HttpReply): boolean {
    const ended = [...tokens].filter(([auth]) => isEnd(auth, reply));
    for (const [auth, token] of ended) this.#kept.get(auth)?.refused(token);
    return ended.length > 0;
  }

  /** Takes out what was sent, and whatever else is secret. */
  redaction(sent: readonly Tokens[]): Redaction {
    const tokens = sent.flatMap((each) => [...each.values()]);
    return tokens.length === 0 ? this.#redaction : new Redaction([...this.#secrets, ...tokens]);
  }
}

function fetchToken(auth: TokenAuth, caller: HttpCaller, source: string) {
  return auth.type === "oauth2" ? fetchAccessToken(auth, caller, source) : requestToken(auth, caller, source);
}

function isEnd(auth: TokenAuth, reply: HttpReply): boolean {
  return auth.type === "oauth2" ? reply.status === 401 : saysEnded(auth, reply);
}
