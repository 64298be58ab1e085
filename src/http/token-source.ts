import type { AuditSource } from "#core/audit.ts";
import type { RequestContext } from "./request-context.ts";

/** The actor of an action that a token allowed, for its entry in the audit log. */
export function tokenSource({ id, token, address }: RequestContext): AuditSource {
  const actor = { kind: "token", id: token?.id ?? "", name: token?.name ?? "" } as const;
  return { actor, address, requestId: id };
}
