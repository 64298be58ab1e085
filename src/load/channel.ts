import { Failure, type FailureCode, isReported, markReported } from "#core/failure.ts";

/**
 * The functions that one thread calls in another, by name. Each takes one argument. A function that returns a generator runs
 * in steps: each `next` of the caller goes to it, with its argument. Arguments and results are copied by the structured
 * clone algorithm (WHATWG HTML, 2.7), except their `bytes`, which are handed over.
 */
// biome-ignore lint/suspicious/noExplicitAny: the argument of each function is its own.
export type Functions = { readonly [name: string]: (argument: any) => unknown };

type Returned<Theirs extends Functions, Name extends keyof Theirs> = Awaited<ReturnType<Theirs[Name]>>;
/** The value of a call when it is done. */
export type Result<Theirs extends Functions, Name extends keyof Theirs> =
  Returned<Theirs, Name> extends AnyGenerator<infer _, infer Last, infer __> ? Last : Returned<Theirs, Name>;
type Given<Value> = Value extends AnyGenerator<infer _, infer __, infer Next> ? Next : undefined;
type Yielded<Value> = Value extends AnyGenerator<infer Each, infer _, infer __> ? Each : never;
type AnyGenerator<Each, Last, Next> = Generator<Each, Last, Next> | AsyncGenerator<Each, Last, Next>;

/** A call that runs in steps. The first step of `next` begins it, and takes no value. */
interface Call<Each, Last, Next> {
  next(value?: Next): Promise<IteratorResult<Each, Last>>;
  /** Must be called for a call that is left before it is done; later calls do nothing. */
  return(): void;
}

export type CallOf<Theirs extends Functions, Name extends keyof Theirs> = Call<
  Yielded<Returned<Theirs, Name>>,
  Result<Theirs, Name>,
  Given<Returned<Theirs, Name>>
>;

/** The side of a thread's functions that calls them. */
export interface Callee<Theirs extends Functions> {
  open<Name extends keyof Theirs & string>(name: Name, argument: Parameters<Theirs[Name]>[0]): CallOf<Theirs, Name>;
}

interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}

/** A Failure, or any other error by its text. */
interface ThrownError {
  readonly code: FailureCode | undefined;
  readonly message: string;
  readonly headers?: Record<string, string>;
  readonly cause?: string;
  readonly stack?: string;
  /** True if the log has the reason already. */
  readonly reported: boolean;
}

export type ChannelMessage =
  | { readonly kind: "begin"; readonly number: number; readonly name: string; readonly value: unknown }
  | { readonly kind: "next"; readonly number: number; readonly value: unknown }
  | { readonly kind: "return"; readonly number: number }
  | { readonly kind: "step"; readonly number: number; readonly done: boolean; readonly value: unknown }
  | { readonly kind: "error"; readonly number: number; readonly error: ThrownError };

type AnyStep = IteratorResult<unknown, unknown>;
type Stepping = Generator<unknown, unknown, unknown> | AsyncGenerator<unknown, unknown, unknown>;

interface Waiting {
  resolve(step: AnyStep): void;
  reject(error: Error): void;
}

/** One end of a connection between two threads, over which each calls the functions of the other. */
export class Channel<Theirs extends Functions> implements Callee<Theirs> {
  /** The steps of calls to the other side that are waited for. */
  readonly #waiting = new Map<number, Waiting>();
  /** The calls of the other side that are not done; undefined until their function has returned. */
  readonly #running = new Map<number, Stepping | undefined>();
  #number = 0;
  #abandoned: Error | undefined;

  constructor(
    private readonly port: Port,
    private readonly ours: Functions,
  ) {}

  /** Each step rejects with the function's error, with the same code if that was a Failure; then the call is over. */
  open<Name extends keyof Theirs & string>(name: Name, argument: Parameters<Theirs[Name]>[0]): CallOf<Theirs, Name> {
    const number = ++this.#number;
    let begun = false;
    let over = false;
    return {
      next: async (value?: unknown) => {
        if (over) return { done: true, value: undefined };
        const message = begun ? { kind: "next", number, value } : { kind: "begin", number, name, value: argument };
        begun = true;
        try {
          const step = await this.#step(message as ChannelMessage & { number: number });
          over ||= step.done === true;
          return step;
        } catch (error) {
          over = true;
          throw error;
        }
      },
      return: () => {
        if (begun && !over) this.#post({ kind: "return", number });
        over = true;
      },
    } as CallOf<Theirs, Name>;
  }

  receive(message: ChannelMessage): void {
    if (message.kind === "step" || message.kind === "error") this.#settle(message);
    else if (message.kind === "return") this.#leave(message.number);
    else void this.#answer(message);
  }

  /** Rejects every step that is waited for, and all later ones. */
  abandon(reason: Error): void {
    this.#abandoned = reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #step(message: ChannelMessage & { readonly value?: unknown }): Promise<AnyStep> {
    return new Promise((resolve, reject) => {
      if (this.#abandoned) return reject(this.#abandoned);
      this.#waiting.set(message.number, { resolve, reject });
      this.#post(message);
    });
  }

  async #answer(message: Extract<ChannelMessage, { kind: "begin" | "next" }>): Promise<void> {
    const { number } = message;
    try {
      const { done = false, value } = await this.#advanced(message);
      if (done) this.#running.delete(number);
      this.#post({ kind: "step", number, done, value });
    } catch (error) {
      this.#running.delete(number);
      this.#post({ kind: "error", number, error: thrown(error) });
    }
  }

  async #advanced(message: Extract<ChannelMessage, { kind: "begin" | "next" }>): Promise<AnyStep> {
    if (message.kind === "next") {
      const running = this.#running.get(message.number);
      return running ? running.next(message.value) : { done: true, value: undefined };
    }
    this.#running.set(message.number, undefined);
    const returned = await this.ours[message.name]?.(message.value);
    if (!isStepping(returned)) return { done: true, value: returned };
    // It was left in the meantime.
    if (!this.#running.has(message.number)) return returned.return(undefined);
    this.#running.set(message.number, returned);
    return returned.next();
  }

  #leave(number: number): void {
    const running = this.#running.get(number);
    this.#running.delete(number);
    // Nobody waits for a call that was left, and so nobody for its error.
    Promise.resolve(running?.return(undefined)).catch(() => {});
  }

  #settle(message: Extract<ChannelMessage, { kind: "step" | "error" }>): void {
    const waiting = this.#waiting.get(message.number);
    this.#waiting.delete(message.number);
    if (message.kind === "step") waiting?.resolve({ done: message.done, value: message.value });
    else waiting?.reject(errorOf(message.error));
  }

  #post(message: ChannelMessage): void {
    this.port.postMessage(message, "value" in message ? bytesOf(message.value) : []);
  }
}

/** Calls functions of this thread as if they were those of another. */
export function inPlace<Ours extends Functions>(ours: Ours): Callee<Ours> {
  const caller = new Channel<Ours>({ postMessage: (message) => callee.receive(message as ChannelMessage) }, {});
  const callee = new Channel<Functions>({ postMessage: (message) => caller.receive(message as ChannelMessage) }, ours);
  return caller;
}

function isStepping(value: unknown): value is Stepping {
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
    return { code: undefined, message, stack, reported };
  }
  const { code, message, detail } = error;
  const cause = detail.cause === undefined ? undefined : String(detail.cause);
  return { code, message, headers: detail.headers, cause, reported };
}

function errorOf({ code, message, headers, cause, stack, reported }: ThrownError): Error {
  const detail = { headers, cause: cause === undefined ? undefined : new Error(cause) };
  const error = code === undefined ? new Error(message) : new Failure(code, message, detail);
  if (stack !== undefined) error.stack = stack;
  if (reported) markReported(error);
  return error;
}
