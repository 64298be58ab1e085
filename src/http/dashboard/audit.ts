import { type AuditPage, AuditQuery, type AuditRecord } from "#contract/dashboard/audit.ts";
import { timestamp } from "#contract/timestamp.ts";
import type { AuditRecord as KeptRecord } from "#core/audit.ts";
import { filledPage, type InTurns } from "#core/reads.ts";
import type { PageParts, PageRequest } from "./page.ts";
import { readQuery } from "./query.ts";

/** The security log of the session's account. */
export async function* auditPage({ reads }: PageParts, { account, search }: PageRequest): InTurns<AuditPage> {
  const { action, from, cursor, limit } = readQuery(new URLSearchParams(search), AuditQuery);
  const query = { action, from: from === undefined ? undefined : Date.parse(from), before: cursor, limit };
  const { found, next } = yield* filledPage(reads.audit, account, query);
  return { data: found.map(auditRecord), next_cursor: next ?? null };
}

function auditRecord({ id, at, action, actor, target, address, device, requestId, detail }: KeptRecord): AuditRecord {
  return { id, at: timestamp(at), action, actor, target, address, device, request_id: requestId, detail };
}
