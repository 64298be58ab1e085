import type { AuditSource } from "#core/audit.ts";
import { deviceName } from "#core/device-name.ts";
import type { RequestContext } from "./request-context.ts";

/** The actor of an act that a token allowed. What a page of the dashboard did was done by the holder of its session. */
export async function tokenSource({ id, token, address, userAgent, service }: RequestContext): Promise<AuditSource> {
  const request = { address, requestId: id };
  if (token?.session === undefined) {
    return { ...request, actor: { kind: "token", id: token?.id ?? "", name: token?.name ?? "" } };
  }
  const holder = await service.store.accounts.findByNumber(token.account);
  const actor = { kind: "session", id: token.session, name: holder?.email ?? "" } as const;
  return { ...request, actor, device: deviceName(userAgent) };
}
