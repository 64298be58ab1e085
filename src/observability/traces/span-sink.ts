import type { CommittedBatch, WebhookAttempt } from "#core/observer.ts";
import type { AttemptSpan } from "#core/trace.ts";

/** Takes the parts of the service's work that are traced, beside requests. */
export interface SpanSink {
  /** A transaction with at least one request that is traced. */
  addBatch(batch: CommittedBatch): void;
  addAttempt(attempt: WebhookAttempt, span: AttemptSpan): void;
}
