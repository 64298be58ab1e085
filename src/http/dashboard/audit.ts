import { type AuditPage, AuditQuery } from "#contract/dashboard/audit.ts";
import { timestamp } from "#contract/timestamp.ts";
import { fullPage, type InTurns } from "#load/in-turns.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";

/** The security log of the session's account. */
export async function* auditPage({ reads }: PageParts, { account, search }: PageRequest): InTurns<AuditPage> {
  const { cursor: before, ...query } = readQuery(search, AuditQuery);
  const { found, next } = yield* fullPage(reads.audit, account, { ...query, before });
  const data = found.map(({ id, at, action, actor, target, address, device, requestId: request_id, detail }) => {
    return { id, at: timestamp(at), action, actor, target, address, device, request_id, detail };
  });
  return { data, next_cursor: next ?? null };
}
