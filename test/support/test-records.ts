import { afterAll, beforeAll, describe } from "bun:test";
import type { Person } from "#core/person.ts";
import type { AccountNumber, NewPlant } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import type { Records } from "#core/records.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { ENGINES, newMigratedDatabase, type TestEngine } from "./engines.ts";
import { temporaryFolder } from "./service.ts";
import { findHolder, type Holder } from "./test-account.ts";

/** An open store over a new database. */
export interface TestRecords {
  readonly records: Records;
  readonly reads: Reads;
  readonly storage: Storage;
  /** The DATABASE_URL of that database. */
  readonly url: string;
  /** A new account without sign-in. */
  account(): Promise<AccountNumber>;
  /** A new account with those plants, in their order. */
  accountWith(plants: readonly NewPlant[]): Promise<AccountNumber>;
  /** A new account with its owner. */
  holder(): Promise<Holder>;
  /** A second node over the same database. */
  another(): Promise<Storage>;
  /** Closes the store. */
  end(): Promise<void>;
}

export async function openTestRecords(engine: TestEngine): Promise<TestRecords> {
  const url = await newMigratedDatabase(engine, temporaryFolder());
  const storage = await openStorage(url);
  const { records } = storage;
  return {
    records,
    reads: storage.reads,
    storage,
    url,
    another: () => openStorage(url),
    account: () => newAccount(storage),
    async accountWith(plants) {
      const account = await newAccount(storage);
      for (let at = 0; at < plants.length; at += 500)
        await records.plants.createMany(account, plants.slice(at, at + 500));
      return account;
    },
    holder: () => newHolder(storage),
    end: () => records.close(),
  };
}

/**
 * A group of tests on each engine, with a store of its own. They and their hooks may use it; the group itself may only
 * pass its storage on.
 */
export function describeRecords<Opened extends TestRecords = TestRecords>(
  title: string,
  tests: (opened: Opened, engine: TestEngine) => void,
  open: (engine: TestEngine) => Promise<TestRecords> = openTestRecords,
): void {
  describe.each(ENGINES)(title, (engine) => {
    const storage = {} as Storage;
    const opened = { storage } as Opened;
    beforeAll(async () => {
      const { storage: made, ...others } = await open(engine);
      Object.assign(storage, made);
      Object.assign(opened, others);
    });
    tests(opened, engine);
    afterAll(() => opened.end());
  });
}

/** Makes a store with an owner without sign-in, with that number or the next. */
export async function newAccount(storage: Storage, number?: AccountNumber): Promise<AccountNumber> {
  return (await newHolder(storage, number)).account;
}

/** Marks the person's address as verified, as opening the mailed link does. */
export async function verifyAddress({ db }: Storage, { id }: Pick<Person, "id">): Promise<void> {
  await db.updateTable("people").set({ email_verified: true }).where("id", "=", id).execute();
}

async function newHolder(storage: Storage, number?: AccountNumber): Promise<Holder> {
  const { db } = storage;
  const id = crypto.randomUUID();
  const now = Date.now();
  const person = { id, name: id, email: `${id}@example.test`, email_verified: false, created_at: now };
  await db.insertInto("people").values(person).execute();
  const made = db.insertInto("stores").values({ number, id: crypto.randomUUID(), name: id, created_at: now });
  const { number: store } = await made.returning("number").executeTakeFirstOrThrow();
  await db.insertInto("members").values({ store, person: id, role: "owner", source: "hand", joined_at: now }).execute();
  return findHolder(storage, { id });
}
