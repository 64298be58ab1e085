import type { AuditRecord } from "#core/audit.ts";
import type { Log } from "#core/log.ts";
import type { Gauge, Observer } from "#core/observer.ts";

/** Writes failures and notices of the service's parts to the log, and keeps the figures that they report. */
export class ServiceObserver implements Observer {
  readonly #log: Log;
  readonly #notices = new Set<string>();
  readonly gauges: Gauge[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  batchCommitted(): void {}
  lockRetried(): void {}
  writeRefused(): void {}
  searched(): void {}
  checkpointEnded(): void {}
  webhookAttempted(): void {}

  jobEnded({ name, error }: { readonly name: string; readonly ms: number; readonly error?: unknown }): void {
    if (error !== undefined) this.failed(name, error);
  }

  failed(part: string, error: unknown): void {
    this.#log.warn({ part, err: error }, "a part of the service failed");
  }

  audited({ actor, at, ...record }: AuditRecord): void {
    const time = new Date(at).toISOString();
    this.#log.info({ ...record, at: time, actor: actor.kind, actor_id: actor.id, actor_name: actor.name }, "audit");
  }

  notice(message: string): void {
    if (this.#notices.has(message)) return;
    this.#notices.add(message);
    this.#log.warn({}, message);
  }

  gauge(gauge: Gauge): void {
    this.gauges.push(gauge);
  }
}
