import {
  AcceptanceForm,
  InvitationForm,
  type InvitationRecord,
  InvitationToken,
  type InvitationView,
  type NewInvitation,
  type People,
  type PersonRecord,
  RemovalForm,
  RoleForm,
} from "#contract/dashboard/people.ts";
import { timestamp } from "#contract/timestamp.ts";
import { type Invitation, invitationLink, type Member, type Membership } from "#core/member.ts";
import type { Records } from "#core/records.ts";
import type { ProofNeeded } from "#core/session.ts";
import { forAnybody, forMember, forVisitorOrPerson, type PrivateRoutes } from "./private-route.ts";
import { sessionView } from "./session.ts";

/** The people of a store, and its invitations. */
export const PEOPLE_ROUTES: PrivateRoutes = {
  "GET /dashboard/api/people": forMember(
    "see people",
    { parts: { second_factor: "manage people", invitations: "manage people" } },
    async ({ records, invitations }, { store: { account }, parts }): Promise<People> => {
      const people = (await records.members.list(account)).map((member) =>
        parts.includes("second_factor")
          ? { ...personRecord(member), second_factor: member.hasSecondFactor }
          : personRecord(member),
      );
      if (!parts.includes("invitations")) return { people };
      return { people, invitations: (await invitations.list(account)).map(invitationRecord) };
    },
  ),

  "POST /dashboard/api/people/invitations": forMember(
    "manage people",
    { form: InvitationForm, proof: ({ form: { role } }) => (role === "owner" ? "asked" : "recent") },
    async ({ invitations }, { session, caller, client, form: { link, ...invited } }) => {
      const made = await (link ? invitations.make(caller, invited) : invitations.mail(session, caller, invited));
      return {
        invitation: invitationRecord(made.invitation),
        link: made.secret === undefined ? null : invitationLink(client.origin, made.secret),
      } satisfies NewInvitation;
    },
  ),

  "POST /dashboard/api/people/invitations/:id/revoke": forMember(
    "manage people",
    {},
    ({ invitations }, { caller, id }) => invitations.revoke(caller, id),
  ),

  "POST /dashboard/api/invitation": forAnybody({ form: InvitationToken }, async ({ invitations }, { client, form }) => {
    const { email, role, ...found } = await invitations.find(client, form.token);
    const { storeName: store, invitedBy: invited_by = OPERATOR, hasAccount: has_account } = found;
    return { store, email, role, invited_by, has_account } satisfies InvitationView;
  }),

  "POST /dashboard/api/invitation/accept": forVisitorOrPerson(
    { form: AcceptanceForm },
    async (context, { client, session, form, cookies }) => {
      const { person, storeId, ...joined } = await context.signUps.join(client, session, form);
      cookies.push(...joined.cookies);
      const { proof, hasPassword } = session ?? {
        proof: { kind: "sign-in", at: Date.now() } as const,
        hasPassword: true,
      };
      return sessionView(context, { person, proof, hasPassword }, client, storeId);
    },
  ),

  "PATCH /dashboard/api/people/:id": forMember(
    "manage people",
    {
      form: RoleForm,
      proof: async ({ store, id, form }, { records }) =>
        form.role === "owner" ? "asked" : proofAbout(id, store, records),
    },
    ({ records }, { caller, id, form }) => records.members.changeRole(caller, id, form.role),
  ),

  "POST /dashboard/api/people/:id/remove": forMember(
    "manage people",
    { form: RemovalForm, proof: ({ store, id }, { records }) => proofAbout(id, store, records) },
    ({ records }, { caller, id, form }) => records.members.remove(caller, id, form.revoke_tokens),
  ),
};

/** The unit that changes an owner looks at the proof once more, since somebody may become one meanwhile. */
async function proofAbout(id: string, { account }: Membership, { members }: Records): Promise<ProofNeeded | undefined> {
  const member = (await members.list(account)).find((each) => each.id === id);
  return member?.role === "owner" ? "asked" : undefined;
}

const OPERATOR = "The operator of this service";

function invitationRecord({ id, email, role, mailed, createdAt, expiresAt }: Invitation): InvitationRecord {
  return { id, email, role, created_at: timestamp(createdAt), expires_at: timestamp(expiresAt), mailed };
}

function personRecord({ id, name, email, role, joinedAt, source: by }: Member): PersonRecord {
  return { id, name, email, role, joined_at: timestamp(joinedAt), by };
}
