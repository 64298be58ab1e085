import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { CallerWithoutAccount } from "#core/caller.ts";
import { type Member, type Membership, memberAlready, personUnknown } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { MemberRecords } from "#core/records.ts";
import type { Role } from "#core/role.ts";
import type { AuditedAccess } from "./audit.ts";
import {
  asRead,
  builtOnce,
  changedMeanwhile,
  lockingAccount,
  type Queries,
  type Statement,
  type Step,
  untilAsRead,
} from "./database-access.ts";
import { keptSecret } from "./kept-secrets.ts";
import { aboutMember, ending, joining, keepingRoom, revokingMadeBy } from "./member-steps.ts";
import { idsOf, memberships } from "./memberships.ts";
import type { Schema } from "./schema.ts";

const storeRows = builtOnce("stores of a person", (db, id) =>
  db
    .selectFrom(memberships({ person: id }).as("member"))
    .innerJoin("accounts as store", "store.number", "member.account")
    .select(["store.number", "store.id", "store.name", "store_name", "test", "second_factor_required"])
    .select(["role", "member.created_at as joined_at"]),
);

/** The person's own store first. */
export async function storesOf(db: Queries, { id: personId }: Pick<Person, "id">): Promise<Membership[]> {
  const isOwn = ({ id }: { readonly id: string }) => id === personId;
  return (await storeRows(db, personId))
    .sort((a, b) => {
      const joined = (a.joined_at ?? 0) - (b.joined_at ?? 0);
      return Number(isOwn(b)) - Number(isOwn(a)) || joined || a.number - b.number;
    })
    .map(({ role, ...store }) => membershipFromRow(store, role));
}

type StoreRow = Pick<Selectable<Schema["accounts"]>, "number" | "id" | "name"> &
  Pick<Selectable<Schema["accounts"]>, "store_name" | "test" | "second_factor_required">;

export function membershipFromRow({ number, id, name, ...row }: StoreRow, role: Role): Membership {
  const [isTest, needsSecondFactor] = [Boolean(row.test), Boolean(row.second_factor_required)];
  return { account: number, id, name: row.store_name ?? name, role, isTest, needsSecondFactor };
}

export function memberRecords(storage: AuditedAccess): MemberRecords {
  const { db } = storage;
  return {
    storesOf: (person) => storesOf(db, person),
    list: (account) => peopleOf(db, account),

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
        return { entry, steps: [changing(db, caller.account, member, role)] };
      });
    },

    async remove(caller, id, revokesTokens) {
      await changeMember(storage, caller.account, id, (member) => {
        const detail = { email: member.email, tokens_revoked: revokesTokens };
        const entry = { ...caller, action: "member.removed", target: id, detail } as const;
        const revoked = revokesTokens ? [revokingMadeBy(db, caller.account, id)] : [];
        const ended = ending(db, caller.account, member, crypto.randomUUID());
        return { entry, steps: [...revoked, ...ended] };
      });
    },

    providerStore: () => providerStore(db),

    follow: (store, person, role, by) => follow(storage, store, person, role, by),

    async leave(caller, id) {
      const newId = crypto.randomUUID();
      const { isFirst } = await changeMember(storage, caller.account, id, (member) => {
        const detail = { email: member.email, role: member.role };
        const entry = { ...caller, action: "member.left", target: id, detail } as const;
        return { entry, steps: ending(db, caller.account, member, newId) };
      });
      return isFirst ? newId : id;
    },
  };
}

async function providerStore(db: Queries): Promise<AccountNumber | undefined> {
  const stores = db.selectFrom("accounts").where(sql<boolean>`EXISTS ${idsOf(sql<number>`accounts.number`)}`);
  const first = await stores.select("id").orderBy("number").limit(1).executeTakeFirst();
  const id = first && (await keptSecret(db, "provider-store", () => first.id));
  const store = id && (await db.selectFrom("accounts").select("number").where("id", "=", id).executeTakeFirst());
  return store ? store.number : undefined;
}

/** Follows what an identity provider says of the person, unless the role was given by hand. */
function follow(
  storage: AuditedAccess,
  account: AccountNumber,
  { id, email }: Pick<Person, "id" | "email">,
  role: Role | undefined,
  by: CallerWithoutAccount,
): Promise<void> {
  const { db, audit } = storage;
  const entry = { ...by, account, target: id };
  const detail = { email, by: "identity provider" };
  return untilAsRead(async () => {
    const member = (await peopleOf(db, account)).find((each) => each.id === id);
    if (!member && role) {
      const joined = { ...entry, action: "member.joined", detail: { ...detail, role } } as const;
      const steps = adding(db, account, { id, email }, { role, source: "oidc" }, changedMeanwhile);
      await audit.runAudited(steps, [joined]);
    }
    if (member?.source !== "oidc" || member.role === role) return;
    const { role: was, source } = member;
    const row = (is: ExpressionBuilder<Schema, "members">) => is.and({ account, user_id: id, source });
    const left = { ...entry, action: "member.removed", detail: { ...detail, was } } as const;
    const changed = { ...left, action: "member.role_changed", detail: { ...detail, was, role: role ?? "" } } as const;
    const change = role
      ? { entry: changed, steps: [asRead(db.updateTable("members").set({ role }).where(row))] }
      : { entry: left, steps: [asRead(db.deleteFrom("members").where(row))] };
    await make(storage, account, member, change);
  });
}

/** The steps by which somebody joins a store without an invitation, in place of one that there may be for them. */
function adding(
  db: Queries,
  account: AccountNumber,
  person: Pick<Person, "id" | "email">,
  given: Pick<Member, "role" | "source">,
  refused: () => Error,
): Step[] {
  const invited = db.deleteFrom("invitations").where("account", "=", account).where("email", "=", person.email);
  return [
    lockingAccount(db, account),
    invited,
    keepingRoom(db, account),
    ...joining(db, account, person, given, refused),
  ];
}

interface StoredMember extends Member {
  /** True for who made the store. */
  readonly isFirst: boolean;
}

/** Everybody who belongs to the store, in the order of joining, and of signing up where two joined at the same time. */
export async function peopleOf(db: Queries, account: AccountNumber): Promise<StoredMember[]> {
  const rows = await db
    .selectFrom(memberships({ account }).as("member"))
    .innerJoin("accounts as person", "person.id", "member.user_id")
    .select(["person.id", "person.number", "person.name", "person.email", "two_factor_enabled", "person.created_at"])
    .select(["role", "source", "member.created_at as joined_at"])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom("passkeys").select("id").whereRef("user_id", "=", "person.id")).as("has_passkey"),
    )
    .orderBy("person.number")
    .execute();
  return rows
    .map(({ id, number, name, email, role, source, joined_at, ...row }) => ({
      ...{ id, name, email, role, source },
      joinedAt: joined_at ?? new Date(row.created_at).getTime(),
      hasSecondFactor: Boolean(row.two_factor_enabled) || Boolean(row.has_passkey),
      isFirst: number === account,
    }))
    .sort((a, b) => a.joinedAt - b.joinedAt);
}

interface MemberChange {
  readonly entry: AuditEntry;
  readonly steps: readonly Step[];
}

/** Makes the change that is planned for the member. Resolves with the member as it was. */
function changeMember(
  storage: AuditedAccess,
  account: AccountNumber,
  id: string,
  planned: (member: StoredMember) => MemberChange | undefined,
): Promise<StoredMember> {
  return untilAsRead(async () => {
    const member = (await peopleOf(storage.db, account)).find((each) => each.id === id);
    if (!member) throw personUnknown();
    const change = planned(member);
    if (change) await make(storage, account, member, change);
    return member;
  });
}

async function make(
  { db, audit }: AuditedAccess,
  account: AccountNumber,
  member: StoredMember,
  { entry, steps }: MemberChange,
): Promise<void> {
  await audit.runAudited(aboutMember(db, account, member, steps), [entry]);
}

/** The one who made the store has no row before. */
function changing(db: Queries, account: AccountNumber, { id, joinedAt }: StoredMember, role: Role): Statement {
  const given = { role, source: "hand" } as const;
  const row = db.insertInto("members").values({ ...given, account, user_id: id, created_at: joinedAt });
  return row.onConflict((conflict) => conflict.columns(["account", "user_id"]).doUpdateSet(given));
}
