import { Failure, type FailureCode, isReported, markReported, UnusableDatabase } from "#core/failure.ts";

/**
 * The functions that one thread calls in another, by name. Each takes one argument. A function that returns a generator runs
 * in steps: each `next` of the caller goes to it. Arguments and results are copied by the structured clone algorithm (WHATWG
 * HTML, 2.7), except their `bytes`, which are handed over.
 */
// biome-ignore lint/suspicious/noExplicitAny: the argument of each function is its own.
export type Functions = { readonly [name: string]: (argument: any) => unknown };

type Returned<Theirs extends Functions, Name extends keyof Theirs> = Awaited<ReturnType<Theirs[Name]>>;
type Steps<Each, Last, Next> = Generator<Each, Last, Next> | AsyncGenerator<Each, Last, Next>;

/** A call that runs in steps. The first step begins it. */
interface Call<Each, Last> {
  next(): Promise<IteratorResult<Each, Last>>;
  /** Must be called if the caller stops before the call is done. After it, `next` and `return` do nothing. */
  return(): void;
}

type Yielded<Value> = Value extends Steps<infer Each, infer _, infer __> ? Each : never;

/** The value of a call when it is done. */
export type Result<Theirs extends Functions, Name extends keyof Theirs> =
  Returned<Theirs, Name> extends Steps<infer _, infer Last, infer __> ? Last : Returned<Theirs, Name>;

export type CallOf<Theirs extends Functions, Name extends keyof Theirs> = Call<
  Yielded<Returned<Theirs, Name>>,
  Result<Theirs, Name>
>;

/** The functions of another thread, as their caller sees them. */
export interface Callee<Theirs extends Functions> {
  open<Name extends keyof Theirs & string>(name: Name, argument: Parameters<Theirs[Name]>[0]): CallOf<Theirs, Name>;
}

interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}

/** An error as it is sent to the other thread: a Failure, an UnusableDatabase, or the text and stack of any other. */
interface ThrownError {
  readonly isUnusable: boolean;
  readonly code: FailureCode | undefined;
  readonly message: string;
  readonly headers?: Record<string, string>;
  readonly cause?: string;
  readonly stack?: string;
  /** True if the log has the reason already. */
  readonly reported: boolean;
}

type Step = IteratorResult<unknown, unknown>;

/** Belongs to the call with that number. The caller sends "begin", "next" and "return", the other side "step" and "error". */
export type ChannelMessage = { readonly number: number } & (
  | { readonly kind: "begin"; readonly name: string; readonly value: unknown }
  | { readonly kind: "next" }
  | { readonly kind: "return" }
  | ({ readonly kind: "step" } & Step)
  | { readonly kind: "error"; readonly error: ThrownError }
);

/** One end of a connection between two threads, over which each calls the functions of the other. */
export class Channel<Theirs extends Functions> implements Callee<Theirs> {
  /** The steps of calls to the other side that are waited for. */
  readonly #waiting = new Map<number, PromiseWithResolvers<Step>>();
  /** The calls of the other side that are not done. */
  readonly #running = new Map<number, AsyncGenerator>();
  #number = 0;
  #abandoned: Error | undefined;

  constructor(
    private readonly port: Port,
    private readonly ours: Functions,
  ) {}

  /** Each step rejects with the function's error, with the same code if that was a Failure; then the call is over. */
  open<Name extends keyof Theirs & string>(name: Name, argument: Parameters<Theirs[Name]>[0]): CallOf<Theirs, Name> {
    const number = ++this.#number;
    let state: "new" | "begun" | "over" = "new";
    const next = async (): Promise<Step> => {
      if (state === "over") return { done: true, value: undefined };
      const isFirst = state === "new";
      state = "begun";
      const asked = this.#step(isFirst ? { kind: "begin", number, name, value: argument } : { kind: "next", number });
      const step = await asked.catch((error) => {
        state = "over";
        throw error;
      });
      if (step.done) state = "over";
      return step;
    };
    const leave = () => {
      if (state === "begun") this.#post({ kind: "return", number });
      state = "over";
    };
    return { next, return: leave } as CallOf<Theirs, Name>;
  }

  receive(message: ChannelMessage): void {
    const { kind, number } = message;
    if (kind === "begin") this.#running.set(number, stepsOf(this.ours[message.name], message.value));
    if (kind === "begin" || kind === "next") void this.#advance(number);
    else if (kind === "return") this.#leave(number);
    else this.#settle(message);
  }

  /** Rejects every step that is waited for, and all later ones. */
  abandon(reason: Error): void {
    this.#abandoned = reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #step(message: ChannelMessage): Promise<Step> {
    const waiting = Promise.withResolvers<Step>();
    if (this.#abandoned) waiting.reject(this.#abandoned);
    else {
      this.#waiting.set(message.number, waiting);
      this.#post(message);
    }
    return waiting.promise;
  }

  async #advance(number: number): Promise<void> {
    const running = this.#running.get(number);
    try {
      const { done = false, value } = (await running?.next()) ?? { done: true };
      if (done) this.#running.delete(number);
      this.#post({ kind: "step", number, done, value });
    } catch (error) {
      this.#running.delete(number);
      this.#post({ kind: "error", number, error: thrown(error) });
    }
  }

  #leave(number: number): void {
    // Nobody waits for a call that was left, and so nobody for its error.
    this.#running
      .get(number)
      ?.return(undefined)
      .catch(() => {});
    this.#running.delete(number);
  }

  #settle(message: Extract<ChannelMessage, { kind: "step" | "error" }>): void {
    const waiting = this.#waiting.get(message.number);
    this.#waiting.delete(message.number);
    if (message.kind === "step") waiting?.resolve({ done: message.done ?? false, value: message.value });
    else waiting?.reject(errorOf(message.error));
  }

  #post(message: ChannelMessage): void {
    this.port.postMessage(message, "value" in message ? bytesOf(message.value) : []);
  }
}

/** The steps of a call: a single one if the function returns no generator. A call that is left during a step ends after it. */
async function* stepsOf(act: Functions[string] | undefined, argument: unknown): AsyncGenerator {
  const returned = await act?.(argument);
  return isSteps(returned) ? yield* returned : returned;
}

/** Calls functions of this thread as if they were those of another. */
export function inPlace<Ours extends Functions>(ours: Ours): Callee<Ours> {
  const caller = new Channel<Ours>({ postMessage: (message) => callee.receive(message as ChannelMessage) }, {});
  const callee = new Channel<Functions>({ postMessage: (message) => caller.receive(message as ChannelMessage) }, ours);
  return caller;
}

function isSteps(value: unknown): value is Steps<unknown, unknown, unknown> {
  return typeof value === "object" && value !== null && "next" in value && "return" in value;
}

function bytesOf(value: unknown): ArrayBuffer[] {
  const bytes = typeof value === "object" && value !== null && "bytes" in value ? value.bytes : undefined;
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

function thrown(error: unknown): ThrownError {
  const reported = isReported(error);
  if (!(error instanceof Failure)) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { isUnusable: error instanceof UnusableDatabase, code: undefined, message, stack, reported };
  }
  const { code, message, detail } = error;
  const cause = detail.cause === undefined ? undefined : String(detail.cause);
  return { isUnusable: false, code, message, headers: detail.headers, cause, reported };
}

function errorOf({ isUnusable, code, message, headers, cause, stack, reported }: ThrownError): Error {
  if (isUnusable) return new UnusableDatabase(message);
  const detail = { headers, cause: cause === undefined ? undefined : new Error(cause) };
  const error = code === undefined ? new Error(message) : new Failure(code, message, detail);
  if (stack !== undefined) error.stack = stack;
  if (reported) markReported(error);
  return error;
}
