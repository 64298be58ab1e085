import { Hono } from "hono";
import type { AccessToken, SessionView, TrustedDevice } from "#contract/dashboard/session.ts";
import { type Proof, ProofForm } from "#contract/dashboard/sign-in.ts";
import { timestamp } from "#contract/timestamp.ts";
import { VERSION } from "#contract/v1/version.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { deviceName } from "#core/device-name.ts";
import { Failure } from "#core/failure.ts";
import type { Session } from "#core/session.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readForm } from "./form.ts";

const SESSION_BOUND_MS = 15 * 60_000;

/** The session, its account's other sessions and trusted devices, and the token with which the page calls the API. */
export function sessionRoutes(context: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.get("/session", (c) => c.json(sessionView(context, c.var.session, c.env.client)));

  routes.post("/access-token", async (c) => {
    const { id, account, expiresAt: sessionEnd } = c.var.session;
    const now = Date.now();
    const expiresAt = Math.min(now + SESSION_BOUND_MS, sessionEnd);
    const secret = context.newSecret();
    await context.store.tokens.addSessionBound(account.number, id, expiresAt, secret);
    return c.json({ token: secret, expires_at: timestamp(expiresAt) } satisfies AccessToken);
  });

  routes.get("/sessions", async (c) => {
    const { session } = c.var;
    const sessions = (await context.sessions.list(session)).map((listed) => ({
      id: listed.id,
      current: listed.id === session.id,
      device: deviceName(listed.userAgent),
      address: listed.address,
      created_at: timestamp(listed.createdAt),
      last_seen_at: timestamp(listed.seenAt),
    }));
    return c.json({ sessions: sessions.sort((a, b) => Number(b.current) - Number(a.current)) });
  });

  routes.post("/sessions/end-others", async (c) => {
    await context.sessions.endOthers(c.var.session);
    return c.body(null, 204);
  });

  routes.post("/sessions/:id/end", async (c) => {
    if (await context.sessions.end(c.var.session, c.req.param("id"))) return c.body(null, 204);
    throw new Failure("resource-unknown", "There is no such session; it may be over already");
  });

  routes.post("/proof", async (c) => {
    const form = await readForm(c.req.raw, ProofForm);
    const until = await context.sessions.prove(c.env.client, c.var.session, form);
    return c.json({ until: timestamp(until) } satisfies Proof);
  });

  routes.get("/trusted-devices", async (c) => {
    const listed = await context.sessions.listTrustedDevices(c.env.client, c.var.session);
    const devices = listed.map(
      (device): TrustedDevice => ({
        id: device.id,
        current: device.current,
        device: deviceName(device.userAgent),
        address: device.address,
        created_at: timestamp(device.createdAt),
        last_used_at: timestamp(device.lastUsedAt),
        expires_at: timestamp(device.expiresAt),
      }),
    );
    return c.json({ devices });
  });

  routes.post("/trusted-devices/forget-all", async (c) => {
    await context.sessions.forgetTrustedDevices(c.var.session);
    return c.body(null, 204);
  });

  routes.post("/trusted-devices/:id/forget", async (c) => {
    if ((await context.sessions.forgetTrustedDevices(c.var.session, c.req.param("id"))) > 0) return c.body(null, 204);
    throw new Failure("resource-unknown", "There is no such trusted device; it may be forgotten already");
  });

  return routes;
}

export function sessionView(
  { signup, sendsMail }: DashboardContext,
  { account }: Pick<Session, "account">,
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
    signup,
    mail: sendsMail,
    versions: { service: VERSION, interface: VERSION, segment: "v1" },
  };
}
