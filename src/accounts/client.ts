import type { AuditAction, AuditEntry, AuditSource } from "#core/audit.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { deviceName } from "#core/device-name.ts";
import type { Session } from "#core/session.ts";

const USER_AGENT_LENGTH_MAX = 300;

export function userAgentOf({ headers }: ClientInfo): string {
  return (headers.get("user-agent") ?? "").slice(0, USER_AGENT_LENGTH_MAX);
}

/** The source of an audit entry: an anonymous client, or the holder of a session. */
export function sourceOf(client: ClientInfo, name: string, sessionId = ""): AuditSource {
  return {
    actor: { kind: "session", id: sessionId, name },
    address: client.address,
    device: deviceName(userAgentOf(client)),
    requestId: client.requestId,
  };
}

export function entryOf(
  { account, source }: Pick<Session, "account" | "source">,
  action: AuditAction,
  more: Pick<AuditEntry, "target" | "detail"> = {},
): AuditEntry {
  return { ...source, account: account.number, action, ...more };
}
