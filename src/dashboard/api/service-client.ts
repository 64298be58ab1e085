import type { ClientOptions } from "#client/call-options.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { DASHBOARD_ERRORS } from "#contract/dashboard/errors.ts";
import type { LastProof } from "#contract/dashboard/session.ts";
import { ConnectionWatch, type Fetch } from "./connection.ts";
import { type Dismissed, NO_ANSWER, RequestFailure } from "./failure.ts";
import { Signal } from "./signal.ts";

const API = "/dashboard/api";
/** PATCH here may fail because the caller lacks a second factor; that is not a store-wide block. */
const STORE = `${API}/store`;
const SESSION = `${API}/session`;
/** Refusals by which a store or a role of the reader may have changed since the page was loaded. */
const DOUBTFUL: readonly (number | undefined)[] = [
  DASHBOARD_ERRORS["role-refused"].error,
  DASHBOARD_ERRORS["resource-unknown"].error,
];

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

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

  /** Marks the proof as used, since each change of a passkey needs its own. */
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

  /** Ends the dialog after a proof, or with the reason for which the waiting requests fail. */
  end(refusal?: Dismissed): void {
    if (!refusal) this.given++;
    this.#asked = undefined;
    this.wanted.set(false);
    this.#settle(refusal);
  }
}

/** Makes the client of the API. */
export type Connect = (options: ClientOptions) => PlantstoreClient;

/** The service as reached by this page, with the session's cookie: its own routes, and the operations of the API. */
export class ServiceClient {
  readonly clock = new ServiceClock();
  readonly connection: ConnectionWatch;
  readonly proofs = new ProofRequests();
  /** True once the service reported that the session has ended; the reader then signs in again above the page. */
  readonly sessionEnded = new Signal(false);
  /** Incremented when a refusal suggests that the session's store or role has changed since it was read. */
  readonly staleSession = new Signal(0);
  /** True once the store has asked for a second factor that the reader lacks. */
  readonly factorMissing = new Signal(false);
  /** The id of the store that this document shows, which its requests name; undefined for the reader's first one. */
  store: string | undefined;
  readonly #client: PlantstoreClient | undefined;
  readonly #connect: Connect | undefined;
  readonly origin: string;
  readonly #fetch: Fetch;
  #signIns = 0;

  /** Pages for readers who are not signed in need no client of the API, and do not load one. */
  constructor(send: Fetch, origin: string, connect?: Connect) {
    this.#fetch = send;
    this.origin = origin;
    this.connection = new ConnectionWatch(send);
    this.#connect = connect;
    this.#client = this.#connected(this.sendBySession);
  }

  get client(): PlantstoreClient {
    return required(this.#client);
  }

  /** A client whose imports belong to that one, so that they can be undone. */
  importClient(id: string): PlantstoreClient {
    const parameter = `import=${encodeURIComponent(id)}`;
    return required(
      this.#connected((address, init) =>
        this.sendBySession(`${address}${address.includes("?") ? "&" : "?"}${parameter}`, init),
      ),
    );
  }

  #connected(send: Fetch): PlantstoreClient | undefined {
    // A waiting reader is told sooner than a program would be.
    return this.#connect?.({ url: this.origin + API, token: null, retriesMax: 1, fetch: send });
  }

  /**
   * Requests a path below /dashboard/api. A proof of identity that the request needs is asked for first, unless the
   * session has one. If the service requires another, the request waits for it and is sent again.
   */
  api<Answer = void>(method: Method, path: string, body?: unknown, proof?: ProofNeeded): Promise<Answer> {
    return this.request(method, API + path, body, proof);
  }

  /** Sends to any address of the page's own session, such as /auth. Throws RequestFailure. */
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

  /** Starts a new session after a sign-in: late answers to earlier requests no longer count. */
  beginSession(): void {
    this.#signIns++;
  }

  /** Wraps `fetch`: learns the service's clock from the answer, and reports a lost connection. */
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

  /** Sends by the session and for the store that this document shows, and notes what a refusal says about them. */
  readonly sendBySession = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    const path = address.startsWith(this.origin) ? address.slice(this.origin.length) : address;
    if (this.store !== undefined && path.startsWith(API)) headers.set("Plantstore-Account", this.store);
    const signIns = this.#signIns;
    const response = await this.send(address, { ...init, headers, credentials: "same-origin", cache: "no-store" });
    if (response.ok) return response;
    const { error } = await errorOf(response.clone());
    if (signIns === this.#signIns) this.#noteRefusal(error, path);
    return response;
  };

  /** Posts records, one a line, to a bulk operation of the API. Throws RequestFailure. */
  sendLines(path: string, lines: readonly string[]): Promise<unknown> {
    const headers = { "Content-Type": "application/x-ndjson" };
    return this.#send(API + path, { method: "POST", headers, body: lines.join("\n") });
  }

  #ask<Answer>(method: Method, address: string, body: unknown): Promise<Answer> {
    const sent =
      method === "GET" ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) };
    return this.#send(address, { method, ...sent });
  }

  async #send<Answer>(address: string, init: RequestInit): Promise<Answer> {
    const response = await this.#answered(address, init);
    // Routes that answer 202 or 204 are called with Answer = void.
    return response.status === 202 || response.status === 204 ? (undefined as Answer) : response.json();
  }

  /** Reads a path below /dashboard/api as text, for numbers beyond 2^53. Throws RequestFailure. */
  async text(path: string): Promise<string> {
    return (await this.#answered(API + path, {})).text();
  }

  async #answered(address: string, init: RequestInit): Promise<Response> {
    const response = await this.sendBySession(address, init).catch(() => {
      throw new RequestFailure(0, undefined, NO_ANSWER, undefined);
    });
    if (!response.ok) {
      const { error, message = `Plantstore answered with status ${response.status}` } = await errorOf(response);
      throw new RequestFailure(response.status, error, message, response.headers.get("request-id") ?? undefined);
    }
    return response;
  }

  #noteRefusal(error: number | undefined, path: string): void {
    if (error === DASHBOARD_ERRORS["session-missing"].error) this.sessionEnded.set(true);
    if (error === DASHBOARD_ERRORS["second-factor-missing"].error && path !== STORE) this.factorMissing.set(true);
    if (DOUBTFUL.includes(error) && path !== SESSION) this.staleSession.set(this.staleSession.get() + 1);
  }
}

function required(client: PlantstoreClient | undefined): PlantstoreClient {
  if (!client) throw new Error("This page has no client of the API");
  return client;
}

/** The members of the Error shape, as far as the answer has them. */
function errorOf(response: Response): Promise<{ readonly error?: number; readonly message?: string }> {
  return response.json().catch(() => ({}));
}
