import { join } from "node:path";
import { openStorage } from "#storage/open.ts";
import { newMigratedDatabase } from "./engines.ts";
import { newAccount } from "./test-records.ts";

/** A SQLite file in the folder with two accounts and this many plants of the first. Resolves with its path. */
export async function filledDatabase(folder: string, plants = 20): Promise<string> {
  const { records, ...storage } = await openStorage(await newMigratedDatabase("sqlite", folder));
  const account = await newAccount({ records, ...storage });
  await newAccount({ records, ...storage });
  for (let id = 1; id <= plants; id++) {
    await records.plants.create(account, { id: BigInt(id), name: `Fern ${id}`, tag: undefined });
  }
  await records.close();
  return join(folder, "plantstore.db");
}
