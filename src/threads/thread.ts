import { markReported, unavailable } from "#core/failure.ts";
import { type Callee, type CallOf, Channel, type ChannelMessage, type Functions, type Result } from "./channel.ts";

export interface ThreadOptions {
  /** Starts the worker, whose side is made by `serveThread`. */
  start(): Worker;
  /** The functions that the worker may call here. */
  readonly ours?: Functions;
  /** Called when the worker has failed or ended by itself. The next call starts another. */
  onFailed(error: Error): void;
}

/** A worker that is started by the first call of one of its functions, and again after it has ended. */
export class Thread<Theirs extends Functions> implements Callee<Theirs> {
  #worker: Worker | undefined;
  #channel: Channel<Theirs> | undefined;
  #closed = false;

  constructor(private readonly options: ThreadOptions) {}

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  /** Rejects as the function does, and with "unavailable" if the worker ends before it has a result. */
  async call<Name extends keyof Theirs & string>(
    name: Name,
    argument: Parameters<Theirs[Name]>[0],
  ): Promise<Result<Theirs, Name>> {
    return (await this.open(name, argument).next()).value as Result<Theirs, Name>;
  }

  open<Name extends keyof Theirs & string>(name: Name, argument: Parameters<Theirs[Name]>[0]): CallOf<Theirs, Name> {
    if (this.#closed) throw shuttingDown();
    this.#channel ??= this.#started();
    return this.#channel.open(name, argument);
  }

  /** Ends the worker; nothing starts it again. */
  close(): void {
    this.#closed = true;
    this.end(shuttingDown());
  }

  end(reason: Error): void {
    const channel = this.#channel;
    this.#worker?.terminate();
    this.#worker = this.#channel = undefined;
    channel?.abandon(reason);
  }

  #started(): Channel<Theirs> {
    const worker = this.options.start();
    const channel = new Channel<Theirs>(worker, this.options.ours ?? {});
    worker.onmessage = ({ data }: MessageEvent<ChannelMessage>) => channel.receive(data);
    worker.onerror = ({ message }) => this.#fail(worker, message);
    // A worker that is ended from outside, or ends itself, reports no error.
    worker.addEventListener("close", () => this.#fail(worker, "it has ended"));
    this.#worker = worker;
    return channel;
  }

  #fail(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    const cause = new Error(`A thread of the service failed: ${reason}`);
    const failure = unavailable("The service could not finish this; try again", cause);
    markReported(failure);
    this.end(failure);
    this.options.onFailed(cause);
  }
}

function shuttingDown(): Error {
  return unavailable("The service is shutting down. Try again.");
}
