import type { AccessToken, SessionList, SessionView, TrustedDeviceList } from "#contract/dashboard/session.ts";
import { type Proof, ProofForm } from "#contract/dashboard/sign-in.ts";
import { timestamp } from "#contract/timestamp.ts";
import { VERSION } from "#contract/v1/version.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { deviceName } from "#core/device-name.ts";
import { Failure } from "#core/failure.ts";
import { PROOF_MS_MAX, type Session } from "#core/session.ts";
import type { KnownBrowser } from "../account-access.ts";
import type { DashboardContext, Routes, SessionRequest } from "./dashboard-context.ts";

/** The session, its account's other sessions and trusted devices, and the token with which the page calls the API. */
export const SESSION_ROUTES: Routes<SessionRequest> = {
  "GET /session": async (context, { session, client }) => sessionView(context, session, client),

  "POST /access-token": async ({ records, newSecret }, { session: { id, account, expiresAt: sessionEnd } }) => {
    const expiresAt = Math.min(Date.now() + 15 * 60_000, sessionEnd);
    const token = newSecret();
    await records.tokens.addSessionBound(account.number, id, expiresAt, token);
    return { token, expires_at: timestamp(expiresAt) } satisfies AccessToken;
  },

  "GET /sessions": async ({ sessions }, { session }) => {
    const listed = (await sessions.list(session)).map((each) => ({
      ...deviceRecord(each, each.id === session.id),
      last_seen_at: timestamp(each.seenAt),
    }));
    return { sessions: listed.sort((a, b) => Number(b.current) - Number(a.current)) } satisfies SessionList;
  },

  "POST /sessions/end-others": ({ sessions }, { session }) => sessions.endOthers(session),

  "POST /sessions/:id/end": async ({ sessions }, { session, id }) => {
    if (await sessions.end(session, id)) return;
    throw new Failure("resource-unknown", "There is no such session; it may be over already");
  },

  "POST /proof": async ({ proofs }, { client, session, form }) => {
    const until = await proofs.prove(client, session, await form(ProofForm));
    return { until: timestamp(until) } satisfies Proof;
  },

  "GET /trusted-devices": async ({ trustedDevices }, { client, session }) => {
    const devices = (await trustedDevices.list(client, session)).map((device) => ({
      ...deviceRecord(device, device.current),
      last_used_at: timestamp(device.lastUsedAt),
      expires_at: timestamp(device.expiresAt),
    }));
    return { devices } satisfies TrustedDeviceList;
  },

  "POST /trusted-devices/forget-all": async ({ trustedDevices }, { session }) => {
    await trustedDevices.forget(session);
  },

  "POST /trusted-devices/:id/forget": async ({ trustedDevices }, { session, id }) => {
    if ((await trustedDevices.forget(session, id)) > 0) return;
    throw new Failure("resource-unknown", "There is no such trusted device; it may be forgotten already");
  },
};

function deviceRecord({ id, userAgent, address, createdAt }: KnownBrowser, current: boolean) {
  return { id, current, device: deviceName(userAgent), address, created_at: timestamp(createdAt) };
}

export function sessionView(
  { signUps, mail }: DashboardContext,
  { account, proof }: Pick<Session, "account" | "proof">,
  client: ClientInfo,
): SessionView {
  return {
    account: {
      id: account.id,
      email: account.email,
      name: account.name,
      created_at: timestamp(account.createdAt),
      two_factor: account.twoFactor,
      email_verified: account.emailVerified,
    },
    base_url: client.origin,
    signup: signUps.rule,
    mail: mail.sendsMail,
    proof: proof ? { kind: proof.kind, until: timestamp(proof.at + PROOF_MS_MAX) } : null,
    versions: { service: VERSION, interface: VERSION, segment: "v1" },
  };
}
