import { beforeEach, describe, expect, test } from "bun:test";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { operatorCommands } from "#test/support/operator-commands.ts";

const operator = await operatorCommands();

let email: string;
beforeEach(async () => {
  email = await operator.account();
});

const create = (...options: string[]) => operator.run("token", "create", "--account", email, ...options);
const list = () => operator.json<Omit<TokenRecord, "state" | "made_by">[]>("token", "list", "--account", email);

describe("`token create`", () => {
  test("prints the secret alone, and no list, no audit log and no other command prints it again", async () => {
    const { code, out, problem } = await create("--name", "till", "--expires", "90d");
    expect([code, problem]).toEqual([0, ""]);
    const secret = out.trim();
    expect(out).toMatch(/^plant_[0-9A-Za-z]{36}\n$/);
    const [token] = await list();
    expect(token).toEqual({
      id: expect.any(String),
      name: "till",
      hint: `${secret.slice(0, 10)}…${secret.slice(-4)}`,
      scopes: ["plants:read", "plants:write"],
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: expect.any(String),
      revoked_at: null,
    });
    for (const later of [
      await operator.run("token", "list", "--account", email),
      await operator.run("token", "list", "--account", email, "--json"),
      await operator.run("audit", "list", "--account", email, "--json"),
      await operator.run("token", "revoke", token?.id ?? "", "--json"),
    ]) {
      expect([later.code, later.out.includes(secret)]).toEqual([0, false]);
    }
  });

  test("reads and writes plants unless scopes are given, each of which counts once", async () => {
    await create("--name", "plain");
    await create("--name", "webhooks", "--scope", "webhooks:manage", "webhooks:manage", "plants:read");
    expect((await list()).map(({ name, scopes }) => [name, scopes]).sort()).toEqual([
      ["plain", ["plants:read", "plants:write"]],
      ["webhooks", ["plants:read", "webhooks:manage"]],
    ]);
  });
});

test.each(["", " ", "x".repeat(51)])("a token's name of %j is wrong usage, like any other option", async (name) => {
  expect(await create("--name", name)).toMatchObject({ code: 2, out: "" });
  expect(await list()).toEqual([]);
});

describe("a list of tokens", () => {
  test("shows each on one line, whatever its name holds, with its state", async () => {
    await create("--name", "a\u001b[2Jb\nc");
    const [token] = await list();
    const shown = async () => (await operator.run("token", "list", "--account", email)).out;
    expect(await shown()).toBe(
      `a\\u001b[2Jb\\nc  ${token?.hint}  plants:read,plants:write  active  never  never  ${token?.id}\n`,
    );
    expect((await operator.run("token", "revoke", token?.id ?? "")).out).toBe(
      `a\\u001b[2Jb\\nc (${token?.hint}) is revoked\n`,
    );
    expect(await shown()).toContain("  revoked  ");
  });
});

test("a token that is not there to be revoked is named", async () => {
  expect((await operator.run("token", "revoke", "tok_1")).problem).toBe(
    "plantstore: There is no token with the id tok_1\n",
  );
});

test("the audit log tells of each act the newest first, who did it, and is filtered by its first part", async () => {
  await create("--name", "till");
  const audit = (...options: string[]) =>
    operator.json<{ action: string; actor: { kind: string } }[]>("audit", "list", "--account", email, ...options);
  expect((await audit()).map(({ action, actor }) => [action, actor.kind])).toEqual([
    ["token.created", "operator"],
    ["store.created", "operator"],
  ]);
  expect((await audit("--action", "token")).map(({ action }) => action)).toEqual(["token.created"]);
  expect((await audit("--limit", "1")).map(({ action }) => action)).toEqual(["token.created"]);
  expect((await audit("--action", "tok")).length).toBe(0);
  const shown = await operator.run("audit", "list", "--account", email);
  expect(shown.out.split("\n")[0]).toMatch(
    /^20\S+Z {2}token\.created {2}operator .* {2}till tok_\w+ .*\{"name":"till"/,
  );
});
