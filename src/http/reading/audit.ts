import { type AuditPage, AuditQuery } from "#contract/dashboard/audit.ts";
import { timestamp } from "#contract/timestamp.ts";
import type { AuditLogKey } from "#core/audit.ts";
import { fullPage, type InTurns } from "./in-turns.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";

/** The security log of a store. */
export function auditPage(parts: PageParts, { account, search }: PageRequest): InTurns<AuditPage> {
  return entries(parts, account, search);
}

/** The person's own log. */
export function ownAuditPage(parts: PageParts, { person, search }: PageRequest): InTurns<AuditPage> {
  return entries(parts, person, search);
}

async function* entries({ reads }: PageParts, log: AuditLogKey, search: string): InTurns<AuditPage> {
  const { cursor: before, ...query } = readQuery(search, AuditQuery);
  const { found, next } = yield* fullPage(reads.audit, log, { ...query, before });
  const data = found.map(({ id, at, action, actor, target, address, device, requestId: request_id, detail }) => {
    return { id, at: timestamp(at), action, actor, target, address, device, request_id, detail };
  });
  return { data, next_cursor: next ?? null };
}
