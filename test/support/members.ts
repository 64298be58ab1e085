import type { StoreCaller } from "#core/caller.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Role } from "#core/role.ts";
import { SessionRows } from "#storage/sign-in/sessions.ts";
import type { Storage } from "#storage/storage.ts";
import { personCaller } from "./audit.ts";
import { quickAccount } from "./auth-browser.ts";
import type { Holder } from "./test-account.ts";

/** A person with a session, as who acts in the store of that number. */
export interface TestMember {
  readonly person: Holder;
  readonly caller: StoreCaller;
}

/** A new person with a store of their own and a session with a proof, who acts in that store, or else in the one that is named, to which they belong too. */
export async function addMember(storage: Storage, account?: AccountNumber, role: Role = "owner"): Promise<TestMember> {
  const person = await quickAccount(storage);
  if (account !== undefined) {
    const row = { store: account, person: person.id, role, source: "hand", joined_at: Date.now() } as const;
    await storage.db.insertInto("members").values(row).execute();
  }
  const origin = { userAgent: "", address: "", expiresAt: Date.now() + 3_600_000, remembered: true };
  const id = crypto.randomUUID();
  const session = { ...origin, id, secret: id, person, epoch: 0 };
  const caller = personCaller(person, id);
  const sessions = new SessionRows(storage);
  await sessions.add(session, { ...caller, ofPerson: person.id, action: "sign_in.succeeded" });
  await sessions.prove(id, Date.now());
  return { person, caller: { ...caller, account: account ?? person.account } };
}
