import { Failure } from "#core/failure.ts";
import type { Storage } from "#storage/storage.ts";
import { AnswerShape } from "./answer-shape.ts";
import type { Auths } from "./auths.ts";
import { PASSWORD_BY_ACCOUNT, SIGN_IN_BY_ACCOUNT, SIGN_IN_BY_ADDRESS, SIGN_IN_BY_BOTH } from "./limits.ts";
import type { LoginLimit, LoginThrottle } from "./login-throttle.ts";
import { requireGoodPassword } from "./password-policy.ts";
import { refusalOf } from "./refusals.ts";
import { authHeaders, type ClientInfo, type Session, type Sessions, sessionMissing } from "./sessions.ts";

export interface SignInRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query: string;
  readonly body: Record<string, unknown> | undefined;
}

export interface SignInAnswer {
  readonly body: unknown;
  readonly cookies: readonly string[];
}

type Counted = readonly (readonly [limit: LoginLimit, subject: string])[];

/** What is asked of `/auth/*`: our rules first, then better-auth. */
export class SignIn {
  readonly #storage: Storage;
  readonly #auths: Auths;
  readonly #sessions: Sessions;
  readonly #throttle: LoginThrottle;

  constructor(storage: Storage, auths: Auths, sessions: Sessions, throttle: LoginThrottle) {
    this.#storage = storage;
    this.#auths = auths;
    this.#sessions = sessions;
    this.#throttle = throttle;
  }

  async answer(client: ClientInfo, request: SignInRequest): Promise<SignInAnswer> {
    switch (request.path) {
      case "/sign-in/email":
        return this.#signIn(client, request);
      case "/passkey/verify-authentication":
        return this.#anew([[SIGN_IN_BY_ADDRESS, client.address]], client, request);
      case "/change-password":
        return this.#changePassword(client, request);
      case "/two-factor/enable":
      case "/two-factor/disable":
      case "/two-factor/generate-backup-codes":
        return this.#withPassword(client, request);
      default:
        return this.#ask(client, request);
    }
  }

  /** Counted by who is said to come, whether there is such an account or not. */
  async #signIn(client: ClientInfo, request: SignInRequest): Promise<SignInAnswer> {
    const { email, password, rememberMe } = request.body ?? {};
    if (typeof email !== "string" || typeof password !== "string") throw incomplete();
    const account = email.trim().toLowerCase();
    const counted: Counted = [
      [SIGN_IN_BY_ADDRESS, client.address],
      [SIGN_IN_BY_BOTH, `${account} ${client.address}`],
      [SIGN_IN_BY_ACCOUNT, account],
    ];
    const body = { email: account, password, rememberMe: rememberMe !== false };
    return this.#anew(counted, client, { ...request, body });
  }

  /** Signs in, and ends the session that the browser had until then (ASVS 5, 7.2.4). */
  async #anew(counted: Counted, client: ClientInfo, request: SignInRequest): Promise<SignInAnswer> {
    const before = await this.#sessions.find(client);
    const answer = await this.#limited(counted, client, request);
    if (before) await this.#sessions.end(before, before.id);
    return answer;
  }

  /** Whoever else had the old password, or a cookie, or a device that was trusted, is out. */
  async #changePassword(client: ClientInfo, request: SignInRequest): Promise<SignInAnswer> {
    const session = await this.#required(client);
    const { currentPassword, newPassword } = request.body ?? {};
    if (typeof currentPassword !== "string" || typeof newPassword !== "string") throw incomplete();
    await requireGoodPassword(newPassword, session.account.email);
    const body = { currentPassword, newPassword, revokeOtherSessions: true };
    const counted: Counted = [[PASSWORD_BY_ACCOUNT, session.account.id]];
    const answer = await this.#limited(counted, client, { ...request, body });
    await this.#storage.db.deleteFrom("verifications").where("value", "=", session.account.id).execute();
    return answer;
  }

  async #withPassword(client: ClientInfo, request: SignInRequest): Promise<SignInAnswer> {
    const { account } = await this.#required(client);
    const { password } = request.body ?? {};
    if (typeof password !== "string") throw incomplete();
    return this.#limited([[PASSWORD_BY_ACCOUNT, account.id]], client, { ...request, body: { password } });
  }

  async #required(client: ClientInfo): Promise<Session> {
    const session = await this.#sessions.find(client);
    if (!session) throw sessionMissing();
    return session;
  }

  /** Each attempt is counted before it is made, so that many at once do not pass, and given back if it was right. */
  async #limited(counted: Counted, client: ClientInfo, request: SignInRequest): Promise<SignInAnswer> {
    const now = Date.now();
    for (const [limit, subject] of counted) await this.#throttle.count(limit, subject, now);
    const answer = await this.#ask(client, request);
    for (const [limit, subject] of counted) await this.#throttle.giveBack(limit, subject);
    return answer;
  }

  async #ask(client: ClientInfo, { method, path, query, body }: SignInRequest): Promise<SignInAnswer> {
    const auth = await this.#auths.of(client.origin);
    const headers = authHeaders(client);
    if (body) headers.set("content-type", "application/json");
    const address = `${client.origin}/auth${path}${query}`;
    const response = await auth.handler(new Request(address, { method, headers, body: body && JSON.stringify(body) }));
    if (!response.ok) throw await refusalOf(response, path);
    const shape = AnswerShape[path] ?? (() => ({}));
    return { body: shape(await response.json()), cookies: response.headers.getSetCookie() };
  }
}

function incomplete(): Failure {
  return new Failure("member-invalid", "The form is incomplete, or something in it is no text");
}
