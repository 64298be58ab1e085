import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";

const SPANS_WAITING_MAX = 2048;
const SPANS_AT_ONCE_MAX = 512;
const SEND_EVERY_MS = 1000;
/** The value in ExportResultCode, whose package is not needed for anything else. */
const SUCCESS = 0;

/**
 * Ended spans that wait for the collector. While it is slow or out of reach the queue fills, and spans without room are
 * counted.
 */
export class SpanQueue implements SpanProcessor {
  readonly #exporter: SpanExporter;
  readonly #observer: Pick<Observer, "failed">;
  #waiting: ReadableSpan[] = [];
  /** True if the last attempt to send failed. */
  #isAway = false;
  dropped = 0;

  constructor(exporter: SpanExporter, observer: Pick<Observer, "failed">) {
    this.#exporter = exporter;
    this.#observer = observer;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting.length < SPANS_WAITING_MAX) this.#waiting.push(span);
    else this.dropped++;
  }

  /** Ends early if the collector takes nothing. */
  async forceFlush(): Promise<void> {
    do {
      await this.#send(this.#waiting.splice(0, SPANS_AT_ONCE_MAX));
    } while (this.#waiting.length > 0 && !this.#isAway);
  }

  /** A collector that is out of reach does not delay the stop of the service. */
  async shutdown(): Promise<void> {
    if (!this.#isAway) await this.forceFlush();
    await this.#exporter.shutdown();
  }

  get job(): Job {
    return {
      name: "spans",
      intervalMs: SEND_EVERY_MS,
      run: () => this.forceFlush(),
      finish: () => this.shutdown(),
    };
  }

  async #send(spans: ReadableSpan[]): Promise<void> {
    if (spans.length === 0) return;
    const result = await new Promise<Parameters<Parameters<SpanExporter["export"]>[1]>[0]>((resolve) =>
      this.#exporter.export(spans, resolve),
    );
    this.#isAway = result.code !== SUCCESS;
    if (!this.#isAway) return;
    this.dropped += spans.length;
    this.#observer.failed("spans", result.error ?? new Error("The collector took no spans"));
  }
}
