import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { CallerWithoutAccount } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import { type Member, type Membership, personUnknown } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { MemberRecords } from "#core/records.ts";
import type { Role } from "#core/role.ts";
import type { AuditedAccess } from "./audit.ts";
import { builtOnce, lockingAccount, type Queries, required, type Statement, type Step } from "./database-access.ts";
import { keptSecret } from "./kept-secrets.ts";
import { ending, endingPages, idsOf, joining, keepingOwner, keepingRoom, revokingMadeBy } from "./member-steps.ts";
import type { Schema } from "./schema.ts";
import { inRole } from "./still-allowed.ts";

const storeRows = builtOnce((db, id) => {
  const joined = db.selectFrom("members").select("account").where("user_id", "=", id);
  const own = db.selectFrom("accounts").select("number as account").where("id", "=", id);
  return db
    .selectFrom("accounts as store")
    .leftJoin("members", (on) => on.onRef("members.account", "=", "store.number").on("members.user_id", "=", id))
    .select(["store.number", "store.id", "store.name", "store_name", "test", "second_factor_required"])
    .select(["role", "members.created_at as joined_at"])
    .where("store.number", "in", joined.unionAll(own));
});

/** The person's own store first. */
export async function storesOf(db: Queries, { id: personId }: Pick<Person, "id">): Promise<Membership[]> {
  const isOwn = ({ id }: { readonly id: string }) => id === personId;
  return (await storeRows(db, personId))
    .sort((a, b) => {
      const joined = (a.joined_at ?? 0) - (b.joined_at ?? 0);
      return Number(isOwn(b)) - Number(isOwn(a)) || joined || a.number - b.number;
    })
    .flatMap(({ role, ...store }) => (role === "none" ? [] : membershipFromRow(store, role ?? "owner")));
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
      return storage.audit.runAudited(adding(db, caller.account, person, { role, source: "hand" }), [entry]);
    },

    changeRole: (caller, id, role) =>
      changeMember(storage, caller.account, id, (member) => {
        if (member.role === role) return undefined;
        const detail = { email: member.email, role, was: member.role };
        const entry = { ...caller, action: "member.role_changed", target: id, detail } as const;
        return { act: changing(db, caller.account, member, role), entry };
      }),

    remove: (caller, id, revokesTokens) =>
      changeMember(storage, caller.account, id, (member) => {
        const detail = { email: member.email, tokens_revoked: revokesTokens };
        const entry = { ...caller, action: "member.removed", target: id, detail } as const;
        const revoked = revokesTokens ? [revokingMadeBy(db, caller.account, id)] : [];
        const ended = ending(db, caller.account, member, crypto.randomUUID());
        return { act: asRead(db, caller.account, member), entry, also: [...revoked, ...ended] };
      }),

    providerStore: () => providerStore(db),

    follow: (store, person, role, by) => follow(storage, store, person, role, by),

    async leave(caller, id) {
      const newId = crypto.randomUUID();
      let isFirst = false;
      await changeMember(storage, caller.account, id, (member) => {
        isFirst = member.isFirst;
        const detail = { email: member.email, role: member.role };
        const entry = { ...caller, action: "member.left", target: id, detail } as const;
        const also = ending(db, caller.account, member, newId);
        return { act: asRead(db, caller.account, member), entry, also };
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

/** Follows what an identity provider says of the person. */
async function follow(
  storage: AuditedAccess,
  account: AccountNumber,
  { id, email }: Pick<Person, "id" | "email">,
  role: Role | undefined,
  by: CallerWithoutAccount,
): Promise<void> {
  const { db, audit } = storage;
  const entry = { ...by, account, target: id };
  const detail = { email, by: "identity provider" };
  const member = (await peopleOf(db, account)).find((each) => each.id === id);
  if (member) {
    return changeMember(storage, account, id, (member) => {
      const { role: was } = member;
      if (member.source !== "oidc" || was === role) return undefined;
      const left = { ...entry, action: "member.removed", detail: { ...detail, was } } as const;
      if (role === undefined) return { act: db.deleteFrom("members").where(isRow(account, member)), entry: left };
      const changed = { ...entry, action: "member.role_changed", detail: { ...detail, was, role } } as const;
      return { act: db.updateTable("members").set({ role }).where(isRow(account, member)), entry: changed };
    });
  }
  if (role === undefined) return;
  const joined = { ...entry, action: "member.joined", detail: { ...detail, role } } as const;
  try {
    await audit.runAudited(adding(db, account, { id, email }, { role, source: "oidc" }), [joined]);
  } catch (error) {
    // The person signed in twice at once.
    if (!(error instanceof Failure && error.code === "member-already")) throw error;
  }
}

/** The steps by which somebody joins a store without an invitation, in place of one that there may be for them. */
function adding(
  db: Queries,
  account: AccountNumber,
  person: Pick<Person, "id" | "email">,
  given: Pick<Member, "role" | "source">,
): Step[] {
  const invited = db.deleteFrom("invitations").where("account", "=", account).where("email", "=", person.email);
  const steps = [lockingAccount(db, account), invited, keepingRoom(db, account)];
  return [...steps, ...joining(db, account, person, given)];
}

interface StoredMember extends Member {
  /** True for who made the store. */
  readonly isFirst: boolean;
  /** False for an owner of whom the table has no row, as of the store that they made. */
  readonly hasRow: boolean;
}

/** Everybody who belongs to the store, in the order of joining. */
export async function peopleOf(db: Queries, account: AccountNumber): Promise<StoredMember[]> {
  const belonging = db.selectFrom("members").select("user_id").where("account", "=", account);
  const first = db.selectFrom("accounts").select("id as user_id").where("number", "=", account);
  const rows = await db
    .selectFrom("accounts as person")
    .leftJoin("members", (on) => on.onRef("members.user_id", "=", "person.id").on("members.account", "=", account))
    .leftJoin("passkeys", "passkeys.user_id", "person.id")
    .select(["person.id", "person.number", "person.name", "person.email", "two_factor_enabled", "person.created_at"])
    .select(["role", "source", "members.created_at as joined_at"])
    .select((row) => row.fn.count<number>("passkeys.id").as("passkeys"))
    .where("person.id", "in", belonging.union(first))
    .groupBy(["person.number", "members.account", "members.user_id"])
    .execute();
  return rows
    .flatMap(({ id, number, name, email, role, source, joined_at, ...row }) => {
      if (role === "none") return [];
      return {
        ...{ id, name, email },
        role: role ?? "owner",
        joinedAt: joined_at ?? new Date(row.created_at).getTime(),
        source: source ?? "hand",
        hasSecondFactor: Boolean(row.two_factor_enabled) || row.passkeys > 0,
        isFirst: number === account,
        hasRow: role !== null,
      };
    })
    .sort((a, b) => a.joinedAt - b.joinedAt);
}

interface MemberChange {
  /** It must change a row, and names in it what was read. */
  readonly act: Statement;
  readonly entry: AuditEntry;
  readonly also?: readonly Step[];
}

/** Plans a change of the member as it is, and again if that has changed before it is made. */
async function changeMember(
  storage: AuditedAccess,
  account: AccountNumber,
  id: string,
  planned: (member: StoredMember) => MemberChange | undefined,
): Promise<void> {
  const { db, audit } = storage;
  const member = (await peopleOf(db, account)).find((each) => each.id === id);
  if (!member) throw personUnknown();
  const change = planned(member);
  if (!change) return;
  const { act, entry, also = [] } = change;
  const owner = member.role === "owner" ? [keepingOwner(db, account)] : [];
  const planAsRead = required(act, () => new ChangedMeanwhile());
  const steps = [lockingAccount(db, account), planAsRead, ...endingPages(db, account, id), ...also, ...owner];
  try {
    await audit.runAudited(steps, [entry]);
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return changeMember(storage, account, id, planned);
    throw error;
  }
}

/** The row of the member, if it has the role still that was read, and from the same hand. */
function isRow(account: AccountNumber, { id, role, source }: StoredMember) {
  return (is: ExpressionBuilder<Schema, "members">) => is.and({ account, user_id: id, role, source });
}

/** Changes the store's row, to what it is, if the member has the role still that was read. */
function asRead(db: Queries, account: AccountNumber, { id, role }: StoredMember) {
  return inRole(db, { account, person: id }, [role]);
}

class ChangedMeanwhile extends Error {}

function changing(db: Queries, account: AccountNumber, member: StoredMember, role: Role): Statement {
  const given = { role, source: "hand" } as const;
  if (member.hasRow) return db.updateTable("members").set(given).where(isRow(account, member));
  const row = { ...given, account, user_id: member.id, created_at: member.joinedAt };
  return db
    .insertInto("members")
    .values(row)
    .onConflict((conflict) => conflict.doNothing());
}
