import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";

/** The spans that wait, and that are sent at once. */
const MOST = { waiting: 2048, atOnce: 512 } as const;
/** The value in ExportResultCode, whose package is not needed for anything else. */
const SUCCESS = 0;

/** Ended spans waiting for the collector. While it is slow or away the queue fills; spans without room are counted. */
export class SpanQueue implements SpanProcessor {
  #waiting: ReadableSpan[] = [];
  /** True if the last attempt to send failed. */
  #isAway = false;
  dropped = 0;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly observer: Pick<Observer, "failed">,
    private readonly address: string,
  ) {}

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting.length < MOST.waiting) this.#waiting.push(span);
    else this.dropped++;
  }

  /** Ends early if the collector takes nothing. */
  async forceFlush(): Promise<void> {
    do {
      await this.#send(this.#waiting.splice(0, MOST.atOnce));
    } while (this.#waiting.length > 0 && !this.#isAway);
  }

  /** A collector that is out of reach does not delay the stop of the service. */
  async shutdown(): Promise<void> {
    if (!this.#isAway) await this.forceFlush();
    await this.exporter.shutdown();
  }

  readonly job: Job = {
    name: "spans",
    intervalMs: 1000,
    run: () => this.forceFlush(),
    finish: () => this.shutdown(),
  };

  async #send(spans: ReadableSpan[]): Promise<void> {
    if (spans.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<Parameters<Parameters<SpanExporter["export"]>[1]>[0]>();
    this.exporter.export(spans, resolve);
    const result = await promise;
    this.#isAway = result.code !== SUCCESS;
    if (!this.#isAway) return;
    this.dropped += spans.length;
    const { error: cause } = result;
    const reason = cause ? `: ${cause.message}` : "";
    this.observer.failed("spans", new Error(`The collector at ${this.address} took no spans${reason}`, { cause }));
  }
}
