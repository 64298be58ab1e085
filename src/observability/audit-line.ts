import type { AuditRecord } from "#core/audit.ts";
import type { Log } from "#core/log.ts";

/** Writes an entry of the audit log as one line of the log, to be shipped away: who can write the database can write the entry. */
export function logAudited(log: Pick<Log, "info">, { actor, at, requestId, ...record }: AuditRecord): void {
  const by = { actor: actor.kind, actor_id: actor.id, actor_name: actor.name };
  log.info({ ...record, ...by, at: new Date(at).toISOString(), request_id: requestId }, "audit");
}
