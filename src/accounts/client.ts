import ipaddr from "ipaddr.js";
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

/**
 * The network by which limits count: an IPv4 address, or the first 64 bits of an IPv6 address, since a household or a
 * server has a whole /64 to itself (RFC 6177). An IPv4 address in IPv6 form counts as the IPv4 address.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}
