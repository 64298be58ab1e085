import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Caller, StoreCaller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import { roleRefused, secondFactorMissing, storeUnknown } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { StoreChange, StoreRecords } from "#core/records.ts";
import type { NewStore, Store, Suspension } from "#core/store.ts";
import { CREDENTIALS } from "#load/limit-groups.ts";
import type { AuditedAccess } from "./audit.ts";
import { lockingPerson, lockingStore, type Queries, required, type Statement, type Step } from "./database-access.ts";
import type { EmptiedStores } from "./emptied-stores.ts";
import { hasSecondFactor, storesOf } from "./roles.ts";
import type { Schema } from "./schema.ts";
import { setSuspension } from "./suspensions.ts";

/** Bounds the stores that one person owns. */
const STORES = CREDENTIALS.row("stores", "person", { each: 20 }, "409");

export class Stores implements StoreRecords {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly removeKept: (account: AccountNumber) => Promise<void>,
    private readonly emptied: EmptiedStores,
  ) {}

  async find(by: Pick<Store, "id"> | Pick<Store, "number">): Promise<Store | undefined> {
    const stores = this.storage.db.selectFrom("stores").selectAll();
    const found = "id" in by ? stores.where("id", "=", by.id) : stores.where("number", "=", by.number);
    const row = await found.executeTakeFirst();
    return row && storeFromRow(row);
  }

  async add({ id: person }: Pick<Person, "id">, store: NewStore, mayBeFirst: boolean, by: Caller) {
    const { db, audit } = this.storage;
    const id = crypto.randomUUID();
    const { name, isTest } = store;
    const detail = { name, test: isTest };
    const entry = { ...by, madeStore: id, action: "store.created", target: id, detail } as const;
    const steps = [
      // Stores that one person makes at once on several nodes are counted one after the other.
      lockingPerson(db, person),
      ...(by.actor.kind === "operator" ? [] : allowedToAdd(db, person, mayBeFirst)),
      required(lockingPerson(db, person).where(countOf(storesOf(person, "owned")), "<", STORES.each), tooManyStores),
      ...addingStore(db, person, { id, ...store }),
    ];
    await audit.runAudited(steps, [entry]);
    return id;
  }

  async change(caller: StoreCaller, { name, needsSecondFactor }: StoreChange): Promise<void> {
    const { db, audit } = this.storage;
    const named = name === undefined ? undefined : { name };
    const ruled = needsSecondFactor === undefined ? undefined : { second_factor_required: needsSecondFactor };
    const values = Object.entries({ ...named, ...ruled }) as ["name" | "second_factor_required", string | boolean][];
    if (values.length === 0) return;
    const changed = db
      .updateTable("stores")
      .set({ ...named, ...ruled })
      .where("number", "=", caller.account)
      .where((is) => is.or(values.map(([column, value]) => is(column, "!=", value))));
    const detail = { ...(named && { store_name: named.name }), ...ruled };
    const ownFactor = lockingStore(db, caller.account).where(hasSecondFactor(caller.person ?? ""));
    const refused = () => secondFactorMissing("Who asks all others for it must have");
    const further = needsSecondFactor ? [required(ownFactor, refused)] : [];
    // It resolves with false where all of it is so already.
    await audit.runAuditedIfChanged(changed, [{ ...caller, action: "settings.changed", detail }], further);
  }

  suspend(caller: StoreCaller, suspension: Suspension | undefined): Promise<boolean> {
    return setSuspension(this.storage, caller, suspension);
  }

  async remove(account: AccountNumber, by: Caller): Promise<void> {
    const { db, audit } = this.storage;
    const found = await db.selectFrom("stores").select(["id", "name"]).where("number", "=", account).executeTakeFirst();
    if (found) {
      const { id: target, name } = found;
      const removed = db.deleteFrom("stores").where("number", "=", account);
      const entry = { ...by, account, action: "account.deleted", target, detail: { name } } as const;
      // It resolves with false where somebody else has removed it meanwhile.
      await audit.runAuditedIfChanged(removed, [entry]);
    }
    await this.removeKept(account);
  }

  async empty(caller: StoreCaller): Promise<void> {
    const { db, audit } = this.storage;
    const { account } = caller;
    const last = sql<bigint>`(SELECT max(number) FROM plants WHERE account = ${account})`;
    const marked = db.updateTable("stores").set({ emptied_to: last }).where("number", "=", account);
    const steps = [
      required(marked.where("test", "=", true), () => new Failure("address-unknown", "Only a test store is emptied")),
    ];
    await audit.runAudited(steps, [{ ...caller, action: "store.emptied" }]);
    this.emptied.begin(account);
  }

  emptying(account: AccountNumber): Promise<number | undefined> {
    return this.emptied.left(account);
  }
}

/** The statements that add a store with its first owner. */
export function addingStore(
  db: Queries,
  person: string,
  { id, name, isTest }: NewStore & Pick<Store, "id">,
): Statement[] {
  const now = Date.now();
  return [
    db.insertInto("stores").values({ id, name, test: isTest, created_at: now }),
    sql`
      INSERT INTO members (store, person, role, source, joined_at)
      SELECT number, CAST(${person} AS text), 'owner', 'hand', CAST(${now} AS bigint) FROM stores WHERE id = ${id}`.compile(
      db,
    ),
  ];
}

/** Lets an owner make another store, and with `mayBeFirst` a person without a store their first. */
function allowedToAdd(db: Queries, person: string, mayBeFirst: boolean): Step[] {
  const locked = lockingPerson(db, person);
  const [owned, all] = [countOf(storesOf(person, "owned")), countOf(storesOf(person))];
  const owner = required(
    locked.where((is) => is.or([is(owned, ">", 0), is(all, "=", 0)])),
    () => roleRefused("manage store"),
  );
  return mayBeFirst ? [owner] : [required(locked.where(all, ">", 0), storeUnknown), owner];
}

function countOf(stores: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(SELECT count(*) FROM ${stores} AS stores)`;
}

function tooManyStores(): Failure {
  const message = `You are an owner of ${STORES.each} stores, which is the limit; remove one that is not used`;
  return new Failure("account-limit", message);
}

export function storeFromRow(row: Selectable<Schema["stores"]>): Store {
  const { number, id, name, test, created_at: createdAt } = row;
  return { number, id, name, isTest: Boolean(test), createdAt };
}
