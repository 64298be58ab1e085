import { notAPlantstore, readAnswer, refuseUnlessSuccess, textOf } from "./answer.ts";
import { recordsPerSecond } from "./bulk-rate.ts";
import {
  baseAddress,
  type CallOptions,
  type ClientOptions,
  currentToken,
  type Exchange,
  fromEnvironment,
  requireKnownOptions,
  type TokenSource,
  userAgent,
} from "./call-options.ts";
import { Deadline, wait } from "./deadline.ts";
import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";
import { backoffMs, leavesDoubt, mayRetry, wasNotSent } from "./retry.ts";

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the version, as in "/plants/42". */
  readonly path: string;
  /** The parameters of the address, less those that are undefined; a list stands for one that is repeated. */
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is JSON unless a header says otherwise. */
  readonly body?: string | Blob;
  /** True if a repetition has the same effect as a single request, whatever others do in between; so has a GET. */
  readonly repeatable?: boolean;
  /** The number of tries after the first one, unless the caller gives another. */
  readonly retriesMax?: number;
}

/** A successful response with its body unread. */
interface OpenResponse {
  readonly response: Response;
  readonly deadline: Deadline;
  /** The longest wait for a part of the body. */
  readonly partTimeoutMs: number;
}

interface StreamedAnswer {
  readonly headers: Headers;
  readonly parts: AsyncGenerator<Uint8Array>;
}

/** The part of an exchange that a try has brought so far. */
type Trial = { -readonly [Member in keyof Exchange]: Exchange[Member] };

const LIMITS = { timeoutMs: 60_000, tryTimeoutMs: 20_000, retriesMax: 4 };

/** Sends calls, and repeats them where that can help and does no harm. */
export class Connection {
  readonly url: string;
  /** The records that the token may write in bulk in a second, by the last answer; undefined before the first one. */
  recordsPerSecond: number | undefined;
  readonly #options: ClientOptions;
  readonly #token: TokenSource | null;
  readonly #userAgent: Readonly<Record<string, string>>;

  constructor(options: ClientOptions) {
    this.url = baseAddress(options.url ?? fromEnvironment("url"));
    this.#options = options;
    this.#token = options.token === undefined ? fromEnvironment("token") : options.token;
    this.#userAgent = userAgent(options.application);
  }

  ask<T>(call: Call, options: CallOptions, read: (body: string, headers: Headers, status: number) => T): Promise<T> {
    return this.#persist(call, options, async ({ response, deadline }, trial) => {
      trial.body = await deadline.reach(textOf(response, this.url));
      deadline.clear();
      return readAnswer(trial.body, this.url, (text) => read(text, response.headers, response.status));
    });
  }

  /**
   * Resolves with the answer's headers as soon as they have arrived, and with the parts of its body. The request ends when they are left.
   * An answer of another type is refused as not having `what`, as in "no export".
   */
  async open(call: Call, options: CallOptions, mediaType: string, what: string): Promise<StreamedAnswer> {
    const headers = { Accept: mediaType };
    const opened = await this.#persist({ ...call, headers }, options, async (opened) => opened);
    const { body, headers: received } = opened.response;
    if (body && received.get("content-type")?.startsWith(mediaType))
      return { headers: received, parts: partsOf(body.getReader(), opened) };
    opened.deadline.clear();
    body?.cancel().catch(() => {});
    throw notAPlantstore(this.url, what);
  }

  async #persist<T>(call: Call, options: CallOptions, act: Act<T>): Promise<T> {
    requireKnownOptions(options);
    const limit = (name: "timeoutMs" | "tryTimeoutMs") => options[name] ?? this.#options[name] ?? LIMITS[name];
    const tryTimeoutMs = limit("tryTimeoutMs");
    const retriesMax = options.retriesMax ?? this.#options.retriesMax ?? call.retriesMax ?? LIMITS.retriesMax;
    const endsAt = performance.now() + limit("timeoutMs");
    let inDoubt = false;
    let triesSent = 0;
    for (let attempt = 1; ; attempt++) {
      const deadline = new Deadline(Math.min(tryTimeoutMs, endsAt - performance.now()), this.url, options.signal);
      const trial: Trial = { method: call.method, url: this.#address(call), attempt, durationMs: 0 };
      const outcome = await this.#attempt(call, options, { deadline, partTimeoutMs: tryTimeoutMs, trial, act });
      const tell = () => {
        for (const { onExchange } of [this.#options, options]) onExchange?.(trial);
      };
      if ("result" in outcome) {
        tell();
        return outcome.result;
      }
      const { error } = outcome;
      const delay = backoffMs(attempt, Math.random(), retryAfterMs(error));
      // Attempts that never reached the service, as during a restart, are limited by time alone.
      triesSent += Number(!wasNotSent(error));
      const isInTime = isLeft(triesSent, retriesMax) && performance.now() + delay < endsAt;
      const isRetried = isInTime && mayRetry(error, call.repeatable ?? call.method === "GET");
      if (isRetried) trial.retriedUntil = Date.now() + endsAt - performance.now();
      tell();
      if (!isRetried) throw inDoubt ? doubted(error) : error;
      inDoubt ||= leavesDoubt(error);
      await wait(delay, options.signal);
    }
  }

  async #attempt<T>(
    call: Call,
    options: CallOptions,
    { deadline, partTimeoutMs, trial, act }: Omit<OpenResponse, "response"> & { trial: Trial; act: Act<T> },
  ): Promise<{ result: T } | { error: unknown }> {
    const startedAt = performance.now();
    try {
      const response = await this.#try(call, options, deadline, trial);
      return { result: await act({ response, deadline, partTimeoutMs }, trial) };
    } catch (error) {
      deadline.clear();
      trial.error = error;
      return { error };
    } finally {
      trial.durationMs = performance.now() - startedAt;
    }
  }

  async #try(call: Call, options: CallOptions, deadline: Deadline, trial: Trial): Promise<Response> {
    const source = this.#token;
    const token = source === null ? undefined : await deadline.race(currentToken(source));
    let response = await this.#fetch(call, options, token, deadline);
    if (response.status === 401 && typeof source === "function") {
      const another = await deadline.race(currentToken(source, token));
      if (another !== token) {
        await response.body?.cancel();
        response = await this.#fetch(call, options, another, deadline);
      }
    }
    trial.status = response.status;
    trial.headers = response.headers;
    // An answer of something before the service tells nothing.
    const unlimited = response.ok ? Number.POSITIVE_INFINITY : this.recordsPerSecond;
    this.recordsPerSecond = recordsPerSecond(response.headers) ?? unlimited;
    await deadline.reach(refuseUnlessSuccess(response, this.url));
    return response;
  }

  #fetch(call: Call, options: CallOptions, token: string | undefined, deadline: Deadline): Promise<Response> {
    const { fetch = globalThis.fetch } = this.#options;
    const { method, body } = call;
    const headers = new Headers({ ...this.#options.headers, ...options.headers });
    const type = typeof body === "string" ? { "Content-Type": "application/json" } : {};
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const own = { ...type, ...call.headers, ...this.#userAgent, ...authorization };
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    const sent = fetch(this.#address(call), {
      method,
      headers,
      body,
      signal: deadline.signal,
      // Following a redirect would turn a create into a read; the API ignores cookies.
      redirect: "manual",
      credentials: "omit",
    });
    return deadline.reach(sent);
  }

  #address({ path, query = {} }: Call): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const pairs = given.flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));
    return `${this.url}/v1${path}${pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`}`;
  }
}

async function* partsOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { deadline, partTimeoutMs }: OpenResponse,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      deadline.restart(partTimeoutMs);
      const { done, value } = await deadline.reach(reader.read());
      // The time that the caller spends on a part does not count against the service.
      deadline.pause();
      if (done) return;
      yield value;
    }
  } finally {
    deadline.clear();
    reader.cancel().catch(() => {});
  }
}

function isLeft(triesSent: number, retriesMax: number): boolean {
  return retriesMax > 0 && triesSent <= retriesMax;
}

type Act<T> = (opened: OpenResponse, trial: Trial) => Promise<T>;

function retryAfterMs(error: unknown): number | undefined {
  const refused = error instanceof PlantstoreError || error instanceof PlantstoreUnreachable;
  return refused ? error.retryAfterMs : undefined;
}

function doubted(error: unknown): unknown {
  return error instanceof PlantstoreError ? new PlantstoreError(error.message, { ...error, inDoubt: true }) : error;
}
