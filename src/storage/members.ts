import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { Caller } from "#core/caller.ts";
import { type Member, type Membership, memberAlready, personUnknown } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { MemberRecords } from "#core/records.ts";
import type { Role } from "#core/role.ts";
import { isActive } from "./active-tokens.ts";
import type { AuditedAccess } from "./audit.ts";
import {
  builtOnce,
  changedMeanwhile,
  ifUnchanged,
  lockingStore,
  type Queries,
  retryIfChanged,
  type Step,
} from "./database-access.ts";
import { keptSecret } from "./kept-secrets.ts";
import { aboutMember, joining, keepingRoom } from "./member-steps.ts";
import { idsOf } from "./roles.ts";
import type { Schema } from "./schema.ts";
import { requiringProof } from "./still-allowed.ts";
import { suspensionOf } from "./suspensions.ts";

const storeRows = builtOnce("stores of a person", (db, person) =>
  db
    .selectFrom("members")
    .innerJoin("stores", "stores.number", "members.store")
    .select(["number", "id", "name", "test", "second_factor_required", "suspended_at", "suspension_reason", "role"])
    .where("person", "=", person)
    .orderBy("joined_at")
    .orderBy("number"),
);

/** A person's stores in the order of joining. */
export async function storesOf(db: Queries, { id }: Pick<Person, "id">): Promise<Membership[]> {
  return (await storeRows(db, id)).map(membershipFromRow);
}

type StoreColumns = "number" | "id" | "name" | "suspended_at" | "suspension_reason";
type MembershipRow = Pick<Selectable<Schema["stores"]>, StoreColumns> & {
  readonly test: boolean | number | null;
  readonly second_factor_required: boolean | number | null;
  readonly role: Role;
};

export function membershipFromRow({ number: account, id, name, role, ...row }: MembershipRow): Membership {
  const [isTest, needsSecondFactor] = [Boolean(row.test), Boolean(row.second_factor_required)];
  return { account, id, name, role, isTest, needsSecondFactor, suspension: suspensionOf(row) };
}

/** Everybody who belongs to the store, in the order of joining. */
export async function membersOf(db: Queries, account: AccountNumber): Promise<Member[]> {
  const rows = await db
    .selectFrom("members")
    .innerJoin("people", "people.id", "members.person")
    .select(["id", "name", "email", "second_factor", "role", "source", "joined_at"])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom("passkeys").select("passkeys.id").whereRef("passkeys.person", "=", "people.id")).as(
        "has_passkey",
      ),
    )
    .where("store", "=", account)
    .orderBy("joined_at")
    .orderBy("people.id")
    .execute();
  return rows.map(({ joined_at: joinedAt, second_factor, has_passkey, ...member }) => {
    return { ...member, joinedAt, hasSecondFactor: second_factor !== null || Boolean(has_passkey) };
  });
}

export function memberRecords(storage: AuditedAccess): MemberRecords {
  const { db } = storage;
  return {
    storesOf: (person) => storesOf(db, person),
    list: (account) => membersOf(db, account),

    add: (caller, person, role) => {
      const detail = { email: person.email, role };
      const entry = { ...caller, action: "member.joined", target: person.id, detail } as const;
      const steps = adding(db, caller.account, person, { role, source: "hand" }, () => memberAlready(person.email));
      return storage.audit.runAudited(steps, [entry]);
    },

    async changeRole(caller, id, role) {
      await changeMember(storage, caller.account, id, (member) => {
        if (member.role === role) return undefined;
        const detail = { email: member.email, role, was: member.role };
        const entry = { ...caller, action: "member.role_changed", target: id, detail } as const;
        const changed = db.updateTable("members").set({ role, source: "hand" }).where(rowOf(caller.account, id));
        return { entry, steps: [...proving(db, entry, member, role), changed] };
      });
    },

    async remove(caller, id, revokesTokens) {
      await changeMember(storage, caller.account, id, (member) => {
        const { account } = caller;
        const detail = { email: member.email, tokens_revoked: revokesTokens };
        const entry = { ...caller, action: "member.removed", target: id, detail } as const;
        const now = Date.now();
        const revoked = db.updateTable("tokens").set({ revoked_at: now }).where("account", "=", account);
        const made = revoked.where("made_by", "=", id).where((is) => isActive(is, now));
        const ended = db.deleteFrom("members").where(rowOf(account, id));
        return { entry, steps: [...proving(db, entry, member), ...(revokesTokens ? [made] : []), ended] };
      });
    },

    async leave(caller, id) {
      await changeMember(storage, caller.account, id, ({ email, role }) => {
        const entry = { ...caller, action: "member.left", target: id, detail: { email, role } } as const;
        return { entry, steps: [db.deleteFrom("members").where(rowOf(caller.account, id))] };
      });
    },

    providerStore: () => providerStore(db),

    follow: (store, person, role, by) => follow(storage, store, person, role, by),
  };
}

function rowOf(store: AccountNumber, person: string) {
  return (is: ExpressionBuilder<Schema, "members">) => is.and({ store, person });
}

/** The proof that it takes to make somebody an owner by a page, or no owner any more. */
function proving(db: Queries, { actor }: AuditEntry, { role }: Member, next?: Role): Step[] {
  const isAboutOwner = role === "owner" || next === "owner";
  return isAboutOwner && actor.kind === "session" ? [requiringProof(db, actor.id)] : [];
}

async function providerStore(db: Queries): Promise<AccountNumber | undefined> {
  const stores = db.selectFrom("stores").where(sql<boolean>`EXISTS ${idsOf(sql.ref("stores.number"))}`);
  const first = await stores.select("id").orderBy("number").limit(1).executeTakeFirst();
  const id = first && (await keptSecret(db, "provider-store", () => first.id));
  const store = id && (await db.selectFrom("stores").select("number").where("id", "=", id).executeTakeFirst());
  return store ? store.number : undefined;
}

/** Follows what an identity provider says of the person, unless the role was given by hand. */
function follow(
  storage: AuditedAccess,
  account: AccountNumber,
  person: Pick<Person, "id" | "email">,
  role: Role | undefined,
  by: Caller,
): Promise<void> {
  const { db, audit } = storage;
  const { id, email } = person;
  const entry = { ...by, account, target: id };
  const detail = { email, by: "identity provider" };
  return retryIfChanged(async () => {
    const member = (await membersOf(db, account)).find((each) => each.id === id);
    if (!member && role) {
      const joined = { ...entry, action: "member.joined", detail: { ...detail, role } } as const;
      const steps = adding(db, account, person, { role, source: "oidc" }, changedMeanwhile);
      await audit.runAudited(steps, [joined]);
    }
    if (member?.source !== "oidc" || member.role === role) return;
    const { role: was, source } = member;
    const left = { ...entry, action: "member.removed", detail: { ...detail, was } } as const;
    const changed = { ...left, action: "member.role_changed", detail: { ...detail, was, role: role ?? "" } } as const;
    const step = role
      ? db.updateTable("members").set({ role }).where(rowOf(account, id)).where("source", "=", source)
      : db.deleteFrom("members").where(rowOf(account, id)).where("source", "=", source);
    await audit.runAudited(aboutMember(db, account, member, [ifUnchanged(step)]), [role ? changed : left]);
  });
}

/** The steps by which somebody joins a store without an invitation, in place of one that there may be for them. */
function adding(
  db: Queries,
  account: AccountNumber,
  { id, email }: Pick<Person, "id" | "email">,
  given: Pick<Member, "role" | "source">,
  refused: () => Error,
): Step[] {
  return [
    lockingStore(db, account),
    db.deleteFrom("invitations").where("account", "=", account).where("email", "=", email),
    keepingRoom(db, account),
    ...joining(db, account, id, given, refused),
  ];
}

interface MemberChange {
  readonly entry: AuditEntry;
  readonly steps: readonly Step[];
}

/** Makes the change that is planned for the member. Rejects with "resource-unknown" for who does not belong to the store. */
function changeMember(
  { db, audit }: AuditedAccess,
  account: AccountNumber,
  id: string,
  planned: (member: Member) => MemberChange | undefined,
): Promise<void> {
  return retryIfChanged(async () => {
    const member = (await membersOf(db, account)).find((each) => each.id === id);
    if (!member) throw personUnknown();
    const change = planned(member);
    if (change) await audit.runAudited(aboutMember(db, account, member, change.steps), [change.entry]);
  });
}
