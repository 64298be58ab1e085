import type { Caller } from "#core/caller.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { deviceName } from "#core/device-name.ts";
import type { Person } from "#core/person.ts";
import type { Session } from "#core/session.ts";

const USER_AGENT_LENGTH_MAX = 300;

export function userAgentOf({ headers }: ClientInfo): string {
  return (headers.get("user-agent") ?? "").slice(0, USER_AGENT_LENGTH_MAX);
}

/** The person who acts by a session, or who is signing in and has none yet. */
export function callerOf(
  client: ClientInfo,
  { id, email }: Pick<Person, "id" | "email">,
  sessionId = "",
): Session["caller"] {
  return { person: id, ...visitor(client, email, sessionId) };
}

/** Somebody with that address, who has no account yet. */
export function visitor(client: ClientInfo, name: string, sessionId = ""): Caller {
  return {
    actor: { kind: "session", id: sessionId, name },
    address: client.address,
    device: deviceName(userAgentOf(client)),
    requestId: client.requestId,
  };
}
