import type { AuditRecord } from "#core/audit.ts";
import type { Log } from "#core/log.ts";

/**
 * Writes an entry of the audit log as one line of the log, so that it can be shipped to another machine: an attacker
 * who can write to the database could change the entry there.
 */
export function logAudited(log: Pick<Log, "info">, { actor, at, requestId, ...record }: AuditRecord): void {
  const by = { actor: actor.kind, actor_id: actor.id, actor_name: actor.name };
  log.info({ ...record, ...by, at: new Date(at).toISOString(), request_id: requestId }, "audit");
}
