import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
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

test("what is not found in a database that was not there is told with the file, as for a command in another folder", async () => {
  const file = join(temporaryFolder(), "plantstore.db");
  const find = () =>
    asOperator(({ accounts }) => accounts.require("you@example.com"), { DATABASE_URL: `sqlite:${file}` });
  await expect(find()).rejects.toThrow(`you@example.com. ${file} was made just now: is DATABASE_URL right?`);
  await expect(find()).rejects.toThrow(/you@example.com$/);
});

test("what is refused for a reason of its own is told without the file, also by the first command of all", async () => {
  const DATABASE_URL = `sqlite:${join(temporaryFolder(), "plantstore.db")}`;
  const add = asOperator(({ accounts, source }) => accounts.add({ email: "you", password: "x" }, source), {
    DATABASE_URL,
  });
  await expect(add).rejects.toThrow(/^(?!.*made just now)/);
});
