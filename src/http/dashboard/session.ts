import type { SessionList, SessionView, TrustedDeviceList } from "#contract/dashboard/session.ts";
import { type Proof, ProofForm } from "#contract/dashboard/sign-in.ts";
import { timestamp } from "#contract/timestamp.ts";
import { VERSION } from "#contract/v1/version.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { deviceName } from "#core/device-name.ts";
import { Failure } from "#core/failure.ts";
import type { Membership } from "#core/member.ts";
import { PROOF_MS_MAX, type Session } from "#core/session.ts";
import { type DashboardContext, forPerson, type PrivateRoutes } from "./private-route.ts";
import { storeShown } from "./serve-route.ts";

/** The session, and the person's other sessions and trusted devices. */
export const SESSION_ROUTES: PrivateRoutes = {
  "GET /dashboard/api/session": forPerson({}, (context, { session, client, storeId }) =>
    sessionView(context, session, client, storeId),
  ),

  "GET /dashboard/api/sessions": forPerson({}, async ({ sessions }, { session }) => {
    const listed = (await sessions.list(session)).map((each) => ({
      ...deviceRecord(each, each.id === session.id),
      last_seen_at: timestamp(each.seenAt),
    }));
    return { sessions: listed.sort((a, b) => Number(b.current) - Number(a.current)) } satisfies SessionList;
  }),

  "POST /dashboard/api/sessions/end-others": forPerson({}, ({ sessions }, { session }) => sessions.endOthers(session)),

  "POST /dashboard/api/sessions/:id/end": forPerson({}, async ({ sessions }, { session, id }) => {
    if (await sessions.end(session, id)) return;
    throw new Failure("resource-unknown", "There is no such session; it may be over already");
  }),

  "POST /dashboard/api/proof": forPerson({ form: ProofForm }, async ({ proofs }, { client, session, form }) => {
    return { until: timestamp(await proofs.prove(client, session, form)) } satisfies Proof;
  }),

  "GET /dashboard/api/trusted-devices": forPerson({}, async ({ trustedDevices }, { client, session }) => {
    const devices = (await trustedDevices.list(client, session)).map((device) => ({
      ...deviceRecord(device, device.current),
      last_used_at: timestamp(device.lastUsedAt),
      expires_at: timestamp(device.expiresAt),
    }));
    return { devices } satisfies TrustedDeviceList;
  }),

  "POST /dashboard/api/trusted-devices/forget-all": forPerson({}, async ({ trustedDevices }, { session }) => {
    await trustedDevices.forget(session);
  }),

  "POST /dashboard/api/trusted-devices/:id/forget": forPerson({}, async ({ trustedDevices }, { session, id }) => {
    if ((await trustedDevices.forget(session, id)) > 0) return;
    throw new Failure("resource-unknown", "There is no such trusted device; it may be forgotten already");
  }),
};

interface KnownBrowser {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: number;
}

function deviceRecord({ id, userAgent, address, createdAt }: KnownBrowser, current: boolean) {
  return { id, current, device: deviceName(userAgent), address, created_at: timestamp(createdAt) };
}

function storeRecord({ id, name, role, isTest: test }: Membership) {
  return { id, name, role, test };
}

/** Looks up the stores where the session has none. Rejects with "resource-unknown" if the person does not belong to the store with that id. */
export async function sessionView(
  context: DashboardContext,
  session: Pick<Session, "person" | "proof" | "hasPassword"> & Partial<Pick<Session, "stores">>,
  client: ClientInfo,
  storeId?: string,
): Promise<SessionView> {
  const { signUps, mail, identities, release } = context;
  const { person, proof } = session;
  const { stores = await context.records.members.storesOf(person) } = session;
  const store = storeShown(stores, storeId);
  const left = store?.isTest ? await context.records.stores.emptying(store.account) : undefined;
  const emptying = left === undefined ? {} : { emptying: { left } };
  return {
    account: {
      id: person.id,
      email: person.email,
      name: person.name,
      created_at: timestamp(person.createdAt),
      two_factor: person.twoFactor,
      email_verified: person.emailVerified,
      has_password: session.hasPassword,
    },
    store: store ? { ...storeRecord(store), second_factor_required: store.needsSecondFactor, ...emptying } : null,
    stores: stores.map(storeRecord),
    base_url: client.origin,
    signup: signUps.rule,
    mail: mail.sendsMail,
    provider: identities.provider?.name ?? null,
    proof: { kind: proof.kind, until: timestamp(proof.at + PROOF_MS_MAX) },
    versions: { service: release, interface: VERSION, segment: "v1" },
  };
}
