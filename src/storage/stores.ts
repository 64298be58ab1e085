import { sql } from "kysely";
import type { Account } from "#core/account.ts";
import type { Caller, CallerWithoutAccount } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AccountRecords, NewStore, StoreChange } from "#core/records.ts";
import { STORES } from "#load/limits.ts";
import { type AuditedAccess, MADE_ACCOUNT } from "./audit.ts";
import { asRead, lockingAccount, required, untilAsRead } from "./database-access.ts";
import { addressing, belongingToNoStore, detaching, membership } from "./detachment.ts";
import type { EmptiedStores } from "./emptied-stores.ts";
import { memberships } from "./memberships.ts";
import { requiringRight, stillAllowed } from "./still-allowed.ts";

/** The stores, whose rows are those of their first persons; nobody signs in by a row that was made for a store alone. */
export class Stores implements AccountRecords {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly removeKept: (account: AccountNumber) => Promise<void>,
    private readonly emptied: EmptiedStores,
  ) {}

  async add(person: Person, { name, isTest }: NewStore, by: Caller): Promise<string> {
    const { db, audit } = this.storage;
    const id = crypto.randomUUID();
    const now = new Date();
    const row = { id, name, email: id, email_verified: false, test: isTest, created_at: now, updated_at: now };
    const entry = { ...by, action: "store.created", target: id, detail: { name, test: isTest } } as const;
    const steps = [
      ...stillAllowed(db, entry),
      // Stores that one person makes at once on several nodes are counted one after the other.
      lockingAccount(db, person.account),
      required(this.#withRoom(person), tooManyStores),
      db.insertInto("accounts").values(row),
      addressing(db, id),
      belongingToNoStore(db, id),
      membership(db, { storeId: id, personId: person.id, role: "owner" }),
    ];
    await audit.runAudited(steps, [{ ...entry, account: MADE_ACCOUNT }], id);
    return id;
  }

  async change(caller: Caller, { name, needsSecondFactor }: StoreChange): Promise<void> {
    const { db, audit } = this.storage;
    const detail = {
      ...(name === undefined ? {} : { store_name: name }),
      ...(needsSecondFactor === undefined ? {} : { second_factor_required: needsSecondFactor }),
    };
    const given = Object.entries(detail) as [keyof typeof detail, string | boolean][];
    if (given.length === 0) return;
    const changed = db
      .updateTable("accounts")
      .set({ ...detail, updated_at: new Date() })
      .where("number", "=", caller.account)
      .where((is) => is.or(given.map(([column, value]) => is(column, "is distinct from", value))));
    const entry = { ...caller, action: "settings.changed", detail } as const;
    await audit.runAuditedIfChanged(changed, [entry], requiringRight(db, caller, "manage store"));
  }

  async remove({ number }: Pick<Account, "number">, by: CallerWithoutAccount): Promise<void> {
    await untilAsRead(() => this.#removeAsRead(number, by));
    await this.removeKept(number);
  }

  async #removeAsRead(number: AccountNumber, by: CallerWithoutAccount): Promise<void> {
    const { db, audit } = this.storage;
    const caller = { ...by, account: number };
    const store = db.selectFrom("accounts").select(["id", "name", "store_name"]).where("number", "=", number);
    const found = await store.executeTakeFirst();
    if (!found) return;
    const { id, name, store_name } = found;
    const none = db.selectFrom("members").select("role").where("account", "=", number).where("user_id", "=", id);
    const isDetached = (await none.executeTakeFirst())?.role === "none";
    const row = lockingAccount(db, number);
    const steps = [
      ...(by.actor.kind === "session" ? requiringRight(db, caller, "manage store") : []),
      row,
      // Its first person may have left meanwhile.
      asRead(isDetached ? row : row.where((is) => is.not(is.exists(none.where("role", "=", "none"))))),
      ...(isDetached ? [] : detaching(db, { account: number, id }, crypto.randomUUID())),
      db.deleteFrom("accounts").where("number", "=", number),
    ];
    const detail = { name: store_name ?? name };
    await audit.runAudited(steps, [{ ...caller, action: "account.deleted", target: id, detail }]);
  }

  async empty(caller: Caller): Promise<void> {
    const { db, audit } = this.storage;
    const { account } = caller;
    const last = sql<bigint>`(SELECT max(number) FROM plants WHERE account = ${account})`;
    const marked = db.updateTable("accounts").set({ emptied_to: last }).where("number", "=", account);
    const steps = [
      ...requiringRight(db, caller, "manage store"),
      required(marked.where("test", "=", true), () => new Failure("address-unknown", "Only a test store is emptied")),
    ];
    await audit.runAudited(steps, [{ ...caller, action: "store.emptied" }]);
    this.emptied.begin(account);
  }

  emptying(account: AccountNumber): Promise<number | undefined> {
    return this.emptied.left(account);
  }

  /** Changes the person's row, to what it is, if they own fewer stores than anybody may. */
  #withRoom({ id, account }: Person) {
    const owned = sql<number>`(SELECT count(*) FROM ${memberships({ person: id })} AS stores WHERE role = 'owner')`;
    return lockingAccount(this.storage.db, account).where(owned, "<", STORES.each);
  }
}

function tooManyStores(): Failure {
  const message = `You are an owner of ${STORES.each} stores, which is the limit; remove one that is not used`;
  return new Failure("account-limit", message);
}
