import type { CommittedBatch, WebhookAttempt } from "#core/observer.ts";
import type { AttemptSpan } from "#core/trace.ts";

/** Takes the traced parts of the service's work other than requests. */
export interface SpanSink {
  /** A transaction with at least one traced request. */
  addBatch(batch: CommittedBatch): void;
  addAttempt(attempt: WebhookAttempt, span: AttemptSpan): void;
}
