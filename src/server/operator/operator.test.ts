import { expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MissingDatabase, UnusableDatabase } from "#core/failure.ts";
import { ENGINES, newDatabase } from "#test/support/engines.ts";
import { lastSchemaDatabase } from "#test/support/last-schema.ts";
import { runInProcess } from "#test/support/run-in-process.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { testUnless } from "#test/support/skipped.ts";
import { asOperator, currentOperator } from "./operator.ts";

test("an operator has the name of the system's user, also where the environment has none, as in a job", () => {
  const { USER } = process.env;
  try {
    delete process.env.USER;
    const name = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();
    expect(currentOperator().actor.name).toBe(name);
  } finally {
    if (USER !== undefined) process.env.USER = USER;
  }
});

test("where that list cannot be read, it is what the environment says, and else the user's number", () => {
  const { USER } = process.env;
  try {
    process.env.USER = "rosa";
    expect(currentOperator(temporaryFolder()).actor.name).toBe("rosa");
    delete process.env.USER;
    expect(currentOperator(temporaryFolder()).actor.name).toBe(`user ${process.getuid?.()}`);
  } finally {
    if (USER === undefined) delete process.env.USER;
    else process.env.USER = USER;
  }
});

testUnless(
  process.getuid?.() === 0 ? undefined : "only root is asked by sudo",
  "an operator who became root by sudo has the name of the user who typed the command",
  () => {
    process.env.SUDO_USER = "rosa";
    try {
      expect(currentOperator().actor.name).toBe("rosa");
    } finally {
      delete process.env.SUDO_USER;
    }
  },
);

test.each(ENGINES)(
  "a database that is not there, or not up to date, is neither made nor changed by a command, on %s",
  async (engine) => {
    const DATABASE_URL = await newDatabase(engine, temporaryFolder());
    const list = () => asOperator(({ reads }) => reads.stores.list(), { DATABASE_URL });
    expect(await list().catch((error) => error)).toMatchObject({
      constructor: MissingDatabase,
      message: expect.stringMatching(/^There is no database at (?:sqlite|postgres):.*: /),
    });
    if (engine === "sqlite") expect(existsSync(DATABASE_URL.slice("sqlite:".length))).toBe(false);
    const older = await lastSchemaDatabase(engine, temporaryFolder());
    const ofOlder = () => asOperator(({ reads }) => reads.stores.list(), { DATABASE_URL: older });
    expect(await ofOlder().catch((error) => error)).toBeInstanceOf(UnusableDatabase);
    await expect(ofOlder()).rejects.toThrow("start `plantstore serve` on it first");
  },
);

test.each([
  "account list",
  "account create --email ivy@example.test",
  "token list --account ivy@example.test",
  "audit list --account ivy@example.test",
  "status",
  "backup create --to FOLDER/backups",
  "move --from sqlite:FOLDER/none.db --to sqlite:FOLDER/other.db",
])("`%s` on a database that is not there makes none, and ends with 2", async (line) => {
  const folder = temporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${folder}/none.db`, PORT: "1" };
  const { code, problem } = await runInProcess(line.replaceAll("FOLDER", folder).split(" "), settings);
  expect([code, problem]).toEqual([2, expect.stringContaining("There is no database")]);
  expect(readdirSync(folder)).toEqual([]);
});

test("--env-file gives a command the settings of a file, and names a file that is not there", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "plantstore.env"), `DATABASE_URL="sqlite:${folder}/theirs.db"\n`);
  const given = process.env.DATABASE_URL;
  delete process.env.DATABASE_URL;
  try {
    const { code, problem } = await runInProcess(["account", "list", "--env-file", join(folder, "plantstore.env")]);
    expect([code, problem]).toEqual([2, expect.stringContaining("theirs.db")]);
    const none = await runInProcess(["status", "--env-file", join(folder, "none.env")]);
    expect([none.code, none.problem]).toEqual([1, expect.stringContaining("none.env does not exist")]);
  } finally {
    delete process.env.DATABASE_URL;
    if (given !== undefined) process.env.DATABASE_URL = given;
  }
});
