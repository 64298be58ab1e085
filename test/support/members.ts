import type { Caller } from "#core/caller.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Role } from "#core/role.ts";
import { SessionRows } from "#storage/sign-in/sessions.ts";
import type { Storage } from "#storage/storage.ts";
import { sessionCaller } from "./audit.ts";
import { quickAccount } from "./auth-browser.ts";

/** A person with a session, as who acts in the store of that number. */
export interface TestMember {
  readonly person: Person;
  readonly caller: Caller;
}

/** A new person who belongs to the store, or who has made it if no store is named. */
export async function addMember(storage: Storage, account?: AccountNumber, role: Role = "owner"): Promise<TestMember> {
  const person = await quickAccount(storage);
  if (account !== undefined) {
    const row = { account, user_id: person.id, role, source: "hand", created_at: Date.now() } as const;
    await storage.db.insertInto("members").values(row).execute();
  }
  const origin = { userAgent: "", address: "", expiresAt: Date.now() + 3_600_000, remembered: true };
  const id = crypto.randomUUID();
  const session = { ...origin, id, token: id, secret: "", person, epoch: 0 };
  await new SessionRows(storage).add(session, { ...sessionCaller(person, id), action: "sign_in.succeeded" });
  return { person, caller: { ...sessionCaller(person, id), account: account ?? person.account } };
}
