import type { ClientOptions } from "#client/call-options.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { DASHBOARD_ERRORS } from "#contract/dashboard/errors.ts";
import type { AccessToken, LastProof } from "#contract/dashboard/session.ts";
import { ConnectionWatch, type Fetch } from "./connection.ts";
import { type Dismissed, NO_ANSWER, RequestFailure } from "./failure.ts";
import { Signal } from "./signal.ts";

const API = "/dashboard/api";
/** Where it is refused to who would ask it of all others, and not for the store. */
const STORE = `${API}/store`;
const SESSION = `${API}/session`;
/** Refusals by which a store or a role of the reader may have changed since the page was loaded. */
const DOUBTFUL: readonly (number | undefined)[] = [
  DASHBOARD_ERRORS["role-refused"].error,
  DASHBOARD_ERRORS["resource-unknown"].error,
];

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** The access token is renewed this long before its end, so that no request uses an expired one. */
const RENEWAL_MS = 60_000;

/** The service's clock, derived from the `Date` of its answers, since the reader's own may be minutes off. */
export class ServiceClock {
  #aheadMs = 0;

  learn(headers: Headers, now = Date.now()): void {
    const said = Date.parse(headers.get("date") ?? "");
    // The header counts whole seconds, so a difference below two seconds may be none.
    if (!Number.isNaN(said)) this.#aheadMs = Math.abs(said - now) < 2000 ? 0 : said - now;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }
}

/**
 * The proof of identity that a request takes: any of the last 15 minutes, also that of the sign-in; one that was `asked`
 * for; or one that no change of passkeys has used up.
 */
export type ProofNeeded = "recent" | "asked" | "unspent";

/** Requests that wait until the reader has given a proof of identity. One dialog serves them all. */
class ProofRequests {
  readonly wanted = new Signal(false);
  given = 0;
  /** The session's last proof, as far as the page knows; undefined before it has asked. */
  last: LastProof | null | undefined;
  #asked: Promise<void> | undefined;
  #settle: (refusal?: Dismissed) => void = () => {};

  /** True if a request would be refused for its proof. */
  isMissing(needed: ProofNeeded, now: number): boolean {
    if (this.last === undefined) return false;
    if (this.last === null || Date.parse(this.last.until) <= now) return true;
    const { kind } = this.last;
    return (needed !== "recent" && kind === "sign-in") || (needed === "unspent" && kind === "spent");
  }

  /** After a change of passkeys, each of which uses a proof up. */
  spend(): void {
    if (this.last) this.last = { ...this.last, kind: "spent" };
  }

  ask(): Promise<void> {
    this.#asked ??= new Promise((resolve, reject) => {
      this.#settle = (refusal) => (refusal ? reject(refusal) : resolve());
    });
    this.wanted.set(true);
    return this.#asked;
  }

  /** After a proof; or when the dialog was closed, with the reason that its requests fail with. */
  end(refusal?: Dismissed): void {
    if (!refusal) this.given++;
    this.#asked = undefined;
    this.wanted.set(false);
    this.#settle(refusal);
  }
}

/** Makes the client of /v1. */
export type Connect = (options: ClientOptions) => PlantstoreClient;

/** The service as reached by this page: its own routes with the session's cookie, and /v1 as any client reaches it. */
export class ServiceClient {
  readonly clock = new ServiceClock();
  readonly connection: ConnectionWatch;
  readonly proofs = new ProofRequests();
  /** True once the service reported that the session has ended; the reader then signs in again above the page. */
  readonly sessionEnded = new Signal(false);
  /** How often the service has refused what the session allowed when it was read: its store or its role may be others now. */
  readonly doubts = new Signal(0);
  /** True once the store has asked for a second factor that the reader lacks. */
  readonly factorMissing = new Signal(false);
  /** The id of the store that this document shows, which its requests name; undefined for the reader's first one. */
  store: string | undefined;
  readonly #client: PlantstoreClient | undefined;
  readonly origin: string;
  readonly #fetch: Fetch;
  #accessToken: AccessToken | undefined;
  #renewing: Promise<AccessToken> | undefined;
  #signIns = 0;

  /** Pages for readers who are not signed in need no client of /v1, and do not load one. */
  constructor(send: Fetch, origin: string, connect?: Connect) {
    this.#fetch = send;
    this.origin = origin;
    this.connection = new ConnectionWatch(send);
    const token = (refused?: string) => this.accessToken(refused);
    // A waiting reader is told sooner than a program would be.
    this.#client = connect?.({ url: origin, token, retriesMax: 1, fetch: this.send });
  }

  get client(): PlantstoreClient {
    if (!this.#client) throw new Error("This page has no client of /v1");
    return this.#client;
  }

  /**
   * Requests a path below /dashboard/api. A proof of identity that the request needs is asked for first, unless the
   * session has one. If the service requires another, the request waits for it and is sent again.
   */
  api<Answer = void>(method: Method, path: string, body?: unknown, proof?: ProofNeeded): Promise<Answer> {
    return this.request(method, API + path, body, proof);
  }

  /** Like `api`, for any address of the page's own session, such as /auth. Throws RequestFailure. */
  async request<Answer = void>(method: Method, address: string, body?: unknown, proof?: ProofNeeded): Promise<Answer> {
    if (proof && this.proofs.isMissing(proof, this.clock.now())) await this.proofs.ask();
    for (;;) {
      const { given } = this.proofs;
      try {
        return await this.#ask(method, address, body);
      } catch (error) {
        if (!(error instanceof RequestFailure) || error.error !== DASHBOARD_ERRORS["proof-needed"].error) throw error;
        // A refusal may come late, after a proof that another request has asked for.
        if (given === this.proofs.given) await this.proofs.ask();
      }
    }
  }

  /** A token for /v1 that ends with the session. `refused` is one that no longer works. */
  async accessToken(refused?: string): Promise<string> {
    const kept = this.#accessToken;
    if (kept && kept.token !== refused && Date.parse(kept.expires_at) - RENEWAL_MS > this.clock.now())
      return kept.token;
    const renewing = this.#renewing ?? this.api<AccessToken>("POST", "/access-token");
    this.#renewing = renewing;
    try {
      const renewed = await renewing;
      if (this.#renewing === renewing) this.#accessToken = renewed;
      // A page's token ends before its time when the role changes.
      if (refused !== undefined) this.#doubt();
      return renewed.token;
    } finally {
      if (this.#renewing === renewing) this.#renewing = undefined;
    }
  }

  /** After a sign-in. Answers to earlier requests, which may still come, are those of the session before. */
  beginSession(): void {
    this.#signIns++;
    this.#accessToken = undefined;
    this.#renewing = undefined;
  }

  /** Like `fetch`. It also learns the service's clock from the answer, and reports a lost connection. */
  readonly send = async (address: string, init: RequestInit = {}): Promise<Response> => {
    try {
      const response = await this.#fetch(address, init);
      this.clock.learn(response.headers);
      return response;
    } catch (error) {
      if (!init.signal?.aborted) this.connection.reportLost();
      throw error;
    }
  };

  async #ask<Answer>(method: Method, address: string, body: unknown): Promise<Answer> {
    const headers: Record<string, string> = {};
    if (this.store !== undefined && address.startsWith(API)) headers["Plantstore-Account"] = this.store;
    const init: RequestInit = { method, credentials: "same-origin", cache: "no-store", headers };
    if (method !== "GET") {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(body ?? {});
    }
    const signIns = this.#signIns;
    const response = await this.send(address, init).catch(() => {
      throw new RequestFailure(0, undefined, NO_ANSWER, undefined);
    });
    if (!response.ok) throw await this.#refusal(response, address, signIns === this.#signIns);
    // Routes that answer 204 are called with Answer = void.
    return response.status === 204 ? (undefined as Answer) : response.json();
  }

  async #refusal(response: Response, address: string, isOfSession: boolean): Promise<RequestFailure> {
    const said: { error?: number; message?: string } = await response.json().catch(() => ({}));
    const { error, message = `Plantstore answered with status ${response.status}` } = said;
    if (isOfSession && error === DASHBOARD_ERRORS["session-missing"].error) this.sessionEnded.set(true);
    if (isOfSession && error === DASHBOARD_ERRORS["second-factor-missing"].error && address !== STORE)
      this.factorMissing.set(true);
    if (isOfSession && DOUBTFUL.includes(error) && address !== SESSION) this.#doubt();
    return new RequestFailure(response.status, error, message, response.headers.get("request-id") ?? undefined);
  }

  #doubt(): void {
    this.doubts.set(this.doubts.get() + 1);
  }
}
