import { unavailable } from "#core/failure.ts";
import type { EndpointProgress } from "#storage/webhook-progress.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import type { EventCause } from "./delivery-traces.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";

const CLOSE_MS_MAX = 1000;

export interface WorkerSettings {
  readonly databaseUrl: string;
  readonly networks: readonly string[];
  readonly proxy: string | undefined;
  /** The fraction of deliveries without a known cause that is traced; undefined if no spans are made. */
  readonly traceRatio: number | undefined;
}

/** Messages from the serving thread to the delivery thread. */
export type ToWorker =
  | ({ readonly kind: "start" } & WorkerSettings)
  | { readonly kind: "hold"; readonly endpoints: readonly HeldEndpoint[] }
  | { readonly kind: "drop"; readonly ids: readonly string[] }
  | { readonly kind: "wake"; readonly until: bigint; readonly causes: readonly EventCause[] }
  | { readonly kind: "settled"; readonly changed: readonly string[] }
  /** The last progress could not be written, so it is handed over again. */
  | { readonly kind: "unsettled" }
  | { readonly kind: "send"; readonly number: number; readonly outgoing: Outgoing }
  | { readonly kind: "close" };

export type FromWorker =
  | { readonly kind: "progress"; readonly progress: readonly EndpointProgress[] }
  | { readonly kind: "sent"; readonly number: number; readonly result: AttemptResult }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "closed" };

type Progress = Extract<FromWorker, { kind: "progress" }>["progress"];
type Outcome = Extract<ToWorker, { kind: "settled" | "unsettled" }>;

export interface ThreadEvents {
  /** `reply` reaches only the thread that handed over the progress, not one that was started since. */
  onProgress(progress: Progress, reply: (outcome: Outcome) => void): void;
  onFailed(error: unknown): void;
  /** Called when the thread has ended; the next message starts another. */
  onEnd(): void;
}

/** The delivery thread, which is started with the first message to it. */
export class DeliveryThread {
  readonly #settings: WorkerSettings;
  readonly #events: ThreadEvents;
  readonly #sending = new Map<number, { resolve(result: AttemptResult): void; reject(error: unknown): void }>();
  #worker: Worker | undefined;
  #number = 0;
  #closed: (() => void) | undefined;

  constructor(settings: WorkerSettings, events: ThreadEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  post(message: ToWorker): void {
    this.#started().postMessage(message);
  }

  send(outgoing: Outgoing): Promise<AttemptResult> {
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#sending.set(number, { resolve, reject });
      this.post({ kind: "send", number, outgoing });
    });
  }

  /** Lets the thread hand over its last outcomes before it ends. */
  async close(): Promise<void> {
    if (!this.#worker) return;
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.post({ kind: "close" });
    await Promise.race([closed, Bun.sleep(CLOSE_MS_MAX)]);
    this.#end(unavailable("The service is shutting down. Try again."));
  }

  /** Ends the thread at once, as in a crash. */
  terminate(): void {
    this.#end(unavailable("The thread that delivers has ended. Try again."));
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./delivery-worker.ts", import.meta.url), { smol: true });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(worker, data);
    worker.onerror = ({ message }) => this.#fail(message);
    // A thread that is ended from outside, or ends itself, reports no error.
    worker.addEventListener("close", () => {
      if (this.#worker === worker) this.#fail("The thread that delivers has ended");
    });
    this.#worker = worker;
    worker.postMessage({ kind: "start", ...this.#settings } satisfies ToWorker);
    return worker;
  }

  #receive(worker: Worker, message: FromWorker): void {
    if (message.kind === "progress")
      this.#events.onProgress(message.progress, (outcome) => this.#reply(worker, outcome));
    else if (message.kind === "failed") this.#events.onFailed(new Error(message.error));
    else if (message.kind === "closed") this.#closed?.();
    else {
      this.#sending.get(message.number)?.resolve(message.result);
      this.#sending.delete(message.number);
    }
  }

  #reply(worker: Worker, outcome: Outcome): void {
    if (this.#worker === worker) worker.postMessage(outcome);
  }

  #fail(message: string): void {
    this.#events.onFailed(new Error(message));
    this.#end(unavailable("The thread that delivers has ended. Try again."));
    this.#events.onEnd();
  }

  #end(reason: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#sending.values()) reject(reason);
    this.#sending.clear();
  }
}
