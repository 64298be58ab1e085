import { type AuditPage, AuditQuery } from "#contract/dashboard/audit.ts";
import { timestamp } from "#contract/timestamp.ts";
import { type AuditQuery as LogQuery, SIGN_IN_NOUNS } from "#core/audit.ts";
import { fullPage, type InTurns } from "#load/in-turns.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";

/** The security log of a store. The sign-in of who made it is nobody else's affair. */
export function auditPage(parts: PageParts, request: PageRequest): InTurns<AuditPage> {
  return entries(parts, request, request.isOwn ? {} : { without: SIGN_IN_NOUNS });
}

/** The person's own log, in which the store that they made has no part: they may have a lesser role in it by now. */
export function ownAuditPage(parts: PageParts, request: PageRequest): InTurns<AuditPage> {
  return entries(parts, request, { nouns: [...SIGN_IN_NOUNS, "account", "settings"] });
}

async function* entries(
  { reads }: PageParts,
  { account, search }: PageRequest,
  part: Pick<LogQuery, "nouns" | "without">,
): InTurns<AuditPage> {
  const { cursor: before, ...query } = readQuery(search, AuditQuery);
  const { found, next } = yield* fullPage(reads.audit, account, { ...query, ...part, before });
  const data = found.map(({ id, at, action, actor, target, address, device, requestId: request_id, detail }) => {
    return { id, at: timestamp(at), action, actor, target, address, device, request_id, detail };
  });
  return { data, next_cursor: next ?? null };
}
