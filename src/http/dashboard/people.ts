import { type People, type PersonRecord, RemovalForm, RoleForm } from "#contract/dashboard/people.ts";
import { timestamp } from "#contract/timestamp.ts";
import type { Member } from "#core/member.ts";
import { mayDo } from "#core/role.ts";
import { forMember, type PrivateRoutes } from "./private-route.ts";

/** Who belongs to a store, and who is invited to it. */
export const PEOPLE_ROUTES: PrivateRoutes = {
  "GET /dashboard/api/people": forMember("see people", {}, async ({ records }, { store }): Promise<People> => {
    const members = await records.members.list(store.account);
    if (!mayDo(store.role, "manage people")) return { people: members.map(personRecord) };
    const people = members.map((member) => ({ ...personRecord(member), second_factor: member.hasSecondFactor }));
    return { people, invitations: [] };
  }),

  "PATCH /dashboard/api/people/:id": forMember(
    "manage people",
    {
      form: RoleForm,
      async proof({ store, id, form }, { records }) {
        if (form.role === "owner") return "asked";
        const member = (await records.members.list(store.account)).find((each) => each.id === id);
        return member?.role === "owner" ? "asked" : undefined;
      },
    },
    ({ records }, { caller, id, form }) => records.members.changeRole(caller, id, form.role),
  ),

  "POST /dashboard/api/people/:id/remove": forMember(
    "manage people",
    { form: RemovalForm },
    ({ records }, { caller, id, form }) => records.members.remove(caller, id, form.revoke_tokens),
  ),
};

function personRecord({ id, name, email, role, joinedAt, source: by }: Member): PersonRecord {
  return { id, name, email, role, joined_at: timestamp(joinedAt), by };
}
