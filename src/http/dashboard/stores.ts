import { NewStoreForm, StoreForm, StoreNameForm } from "#contract/dashboard/people.ts";
import { Failure } from "#core/failure.ts";
import type { Membership } from "#core/member.ts";
import { ACCEPTED, forMember, type PrivateRoutes } from "./private-route.ts";
import { requireSecondFactor } from "./serve-route.ts";

/** The store that the page shows: leaving it, its name and rules, its end; and further stores. */
export const STORE_ROUTES: PrivateRoutes = {
  "POST /dashboard/api/people/leave": forMember("leave", {}, async (context, request) => {
    const { client, session, caller, cookies } = request;
    cookies.push(...(await context.leaveStore(client, session, caller)));
  }),

  "PATCH /dashboard/api/store": forMember(
    "manage store",
    { form: StoreForm },
    async (context, { session, caller, form: { name, second_factor_required: needsSecondFactor } }) => {
      if (needsSecondFactor) await requireSecondFactor(session, context, "Who asks all others for it must have");
      await context.records.accounts.change(caller, { name, needsSecondFactor });
    },
  ),

  "POST /dashboard/api/store/delete": forMember(
    "manage store",
    { form: StoreNameForm, proof: "asked" },
    async ({ records }, { store, caller, form }) => {
      requireName(form.name, store, "remove it with everything it has");
      await records.accounts.remove({ number: store.account }, caller);
    },
  ),

  "POST /dashboard/api/store/empty": forMember(
    "manage store",
    { form: StoreNameForm, proof: "asked" },
    async ({ records }, { store, caller, form }) => {
      requireName(form.name, store, "remove all its plants");
      await records.accounts.empty(caller);
      return ACCEPTED;
    },
  ),

  "POST /dashboard/api/stores": forMember(
    "manage store",
    { form: NewStoreForm },
    async ({ records }, { session: { person }, caller, form: { name, test: isTest } }) => ({
      id: await records.accounts.add(person, { name, isTest }, caller),
    }),
  ),
};

function requireName(typed: string, { name }: Membership, what: string): void {
  if (typed.trim() === name.trim()) return;
  throw new Failure("member-invalid", `Type the name of the store, ${name}, to ${what}`);
}
