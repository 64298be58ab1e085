import { sql } from "kysely";
import type { AuditDetail, AuditEntry } from "#core/audit.ts";
import type { CallerWithoutAccount } from "#core/caller.ts";
import { lastOwner, type Member, type Membership } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { PersonRecords, StoreFates } from "#core/records.ts";
import type { AuditedAccess } from "./audit.ts";
import { lockingAccount, required, type Step } from "./database-access.ts";
import { belongingToNobodyElse, ending, endingPages, keepingOwner } from "./member-steps.ts";
import { peopleOf, storesOf } from "./members.ts";
import { inRole } from "./still-allowed.ts";

class ChangedMeanwhile extends Error {}
class RemovedMeanwhile extends Error {}

/**
 * The removal of a person. What becomes of their stores is read first; the unit of work repeats the conditions, and is
 * begun anew if somebody has joined or left a store meanwhile.
 */
export class PersonRemoval implements Pick<PersonRecords, "fates" | "remove"> {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly removeKept: (account: AccountNumber) => Promise<void>,
  ) {}

  async fates(person: Pick<Person, "id">): Promise<StoreFates> {
    const { db } = this.storage;
    const stores = await storesOf(db, person);
    const others = new Map<Membership, readonly Member[]>();
    for (const store of stores) {
      const people = await peopleOf(db, store.account);
      others.set(
        store,
        people.filter(({ id }) => id !== person.id),
      );
    }
    const fateOf = (store: Membership): keyof StoreFates => {
      const left = others.get(store) ?? [];
      if (store.role !== "owner" || left.some(({ role }) => role === "owner")) return "staying";
      return left.length === 0 ? "going" : "ownerless";
    };
    return { going: [], staying: [], ownerless: [], ...Object.groupBy(stores, fateOf) };
  }

  async remove(person: Person, by: CallerWithoutAccount): Promise<void> {
    const fates = await this.fates(person);
    if (fates.ownerless.length > 0) throw lastOwner(fates.ownerless.map(({ name }) => name));
    const isOwnStaying = fates.staying.some(({ id }) => id === person.id);
    const going = fates.going.map(({ account }) => account);
    // The row of a person is that of their own store, if they have one, and goes with them unless that stays.
    const removed = isOwnStaying ? going : [...new Set([...going, person.account])];
    try {
      const entries = entriesOf(person, fates, removed, by);
      await this.storage.audit.runAudited(this.#steps(person, fates, removed), entries);
    } catch (error) {
      if (error instanceof ChangedMeanwhile) return this.remove(person, by);
      if (!(error instanceof RemovedMeanwhile)) throw error;
    }
    for (const number of removed) await this.removeKept(number);
  }

  #steps({ id, account }: Person, { going, staying }: StoreFates, removed: readonly AccountNumber[]): Step[] {
    const { db, engine } = this.storage;
    const changed = () => new ChangedMeanwhile();
    const newId = crypto.randomUUID();
    const known = [...going, ...staying].map((store) => store.account);
    const further = db.selectFrom("members").select("account").where("user_id", "=", id).where("role", "!=", "none");
    const unknown = known.length === 0 ? further : further.where("account", "not in", known);
    // The person's own store last, since they have another id afterwards.
    const left = staying.toSorted((a, b) => Number(a.id === id) - Number(b.id === id));
    return [
      required(lockingAccount(db, account), () => new RemovedMeanwhile()),
      // From here on the person can become a member of nothing.
      ...(engine === "postgres" ? [sql`SELECT 1 FROM accounts WHERE id = ${id} FOR UPDATE`.compile(db)] : []),
      required(
        lockingAccount(db, account).where((is) => is.not(is.exists(unknown))),
        changed,
      ),
      ...going.map((store) => belongingToNobodyElse(db, store.account, id, changed)),
      ...left.flatMap((store) => {
        const asRead = required(inRole(db, { account: store.account, person: id }, [store.role]), changed);
        const ended = ending(db, store.account, { id, isFirst: store.id === id }, newId);
        const owner = store.role === "owner" ? [keepingOwner(db, store.account)] : [];
        return [lockingAccount(db, store.account), asRead, ...endingPages(db, store.account, id), ...ended, ...owner];
      }),
      db.deleteFrom("accounts").where("id", "=", newId),
      ...removed.map((number) => db.deleteFrom("accounts").where("number", "=", number)),
    ];
  }
}

function entriesOf(
  { id, account, email }: Person,
  { going, staying }: StoreFates,
  removed: readonly AccountNumber[],
  by: CallerWithoutAccount,
): AuditEntry[] {
  return [
    ...removed.map((number) => {
      const { id: target, name } = going.find((store) => store.account === number) ?? { id, name: "" };
      const detail: AuditDetail = number === account ? { email } : { name };
      return { ...by, account: number, action: "account.deleted", target, detail } as const;
    }),
    ...staying.map((store) => {
      const detail = { email, role: store.role, account_deleted: true };
      return { ...by, account: store.account, action: "member.left", target: id, detail } as const;
    }),
  ];
}
