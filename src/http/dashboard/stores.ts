import { NewStoreForm, StoreForm, StoreNameForm } from "#contract/dashboard/people.ts";
import { Failure } from "#core/failure.ts";
import type { Membership } from "#core/member.ts";
import { ACCEPTED, forMember, forPerson, type PrivateRoutes } from "./private-route.ts";

/** The store that the page shows: leaving it, its name and rules, its end; and further stores. */
export const STORE_ROUTES: PrivateRoutes = {
  "POST /dashboard/api/people/leave": forMember("leave", {}, ({ records }, { session, caller }) =>
    records.members.leave(caller, session.person.id),
  ),

  "PATCH /dashboard/api/store": forMember(
    "manage store",
    { form: StoreForm },
    ({ records }, { caller, form: { name, second_factor_required: needsSecondFactor } }) =>
      records.stores.change(caller, { name, needsSecondFactor }),
  ),

  "POST /dashboard/api/store/delete": forMember(
    "manage store",
    { form: StoreNameForm, proof: "asked" },
    async ({ records }, { store, caller, form }) => {
      requireName(form.name, store, "remove it with everything it has");
      await records.stores.remove(store.account, caller);
    },
  ),

  "POST /dashboard/api/store/empty": forMember(
    "manage store",
    { form: StoreNameForm, proof: "asked" },
    async ({ records }, { store, caller, form }) => {
      requireName(form.name, store, "remove all its plants");
      await records.stores.empty(caller);
      return ACCEPTED;
    },
  ),

  /** Open to owners of any store, and to people without one where anybody may sign up. */
  "POST /dashboard/api/stores": forPerson(
    { form: NewStoreForm },
    async ({ records, signUps }, { session: { person, caller }, form: { name, test: isTest } }) => ({
      id: await records.stores.add(person, { name, isTest }, signUps.rule === "open", caller),
    }),
  ),
};

function requireName(typed: string, { name }: Membership, what: string): void {
  if (typed.trim() === name.trim()) return;
  throw new Failure("member-invalid", `Type the name of the store, ${name}, to ${what}`);
}
