import type { AuditSource } from "#core/audit.ts";
import type { RequestContext } from "./request-context.ts";

/** The actor of an act that a token allowed, as its entry in the audit log has it. */
export function tokenSource({ id, token, address }: RequestContext): AuditSource {
  const actor = { kind: "token", id: token?.id ?? "", name: token?.name ?? "" } as const;
  return { actor, address, requestId: id };
}
