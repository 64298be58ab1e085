import { describe, expect, test } from "bun:test";
import { newTokenSecret } from "#accounts/token-service.ts";
import { sessionCaller } from "#test/support/audit.ts";
import { operatorCommands } from "#test/support/operator-commands.ts";
import { findHolder, onDatabase } from "#test/support/test-account.ts";

const operator = await operatorCommands();
const people = (verb: string, account: string, ...more: string[]) =>
  operator.run("account", "people", verb, "--account", account, ...more);

const rolesIn = async (account: string) =>
  (await operator.json<{ email: string; role: string }[]>("account", "people", "list", "--account", account)).map(
    ({ email, role }) => [email, role],
  );

describe("`account people`", () => {
  test("lists who belongs to a store, adds somebody, changes their role, and removes them", async () => {
    const [store, person] = [await operator.account(), await operator.account()];
    const added = await people("add", store, "--email", person, "--role", "editor");
    expect([added.code, added.out]).toEqual([0, `${person}  editor\n`]);
    expect(await rolesIn(store)).toEqual([
      [store, "owner"],
      [person, "editor"],
    ]);
    expect((await people("role", store, "--email", person.toUpperCase(), "--role", "owner")).code).toBe(0);
    expect(await rolesIn(store)).toEqual([
      [store, "owner"],
      [person, "owner"],
    ]);
    const { code, out } = await people("list", store);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^.+ {2}owner {2}\S+ {2}[\w-]+\n.+ {2}owner {2}\S+ {2}[\w-]+\n$/),
    ]);
    const removed = await people("remove", store, "--email", person);
    expect([removed.code, removed.out]).toEqual([0, `${person}  removed\n`]);
    expect(await rolesIn(store)).toEqual([[store, "owner"]]);
    expect(await rolesIn(person)).toEqual([[person, "owner"]]);
  });

  test("lists everybody who has an account without a store named, also who belongs to none", async () => {
    const [store, person] = [await operator.account(), await operator.account()];
    await people("add", store, "--email", person, "--role", "viewer");
    await operator.run("account", "delete", "--account", person, "--yes");
    await people("remove", store, "--email", person);
    const list = () => operator.json<{ email: string }[]>("account", "people", "list");
    const found = (await list()).filter(({ email }) => email === store || email === person);
    expect(found).toMatchObject([
      { email: store, stores: 1 },
      { email: person, stores: 0 },
    ]);
    const { out } = await operator.run("account", "people", "list");
    expect(out).toMatch(new RegExp(`^${person} +0 +[\\w-]+$`, "m"));
  });

  test("finds somebody by either way to write the domain of their address", async () => {
    const store = await operator.account();
    await operator.run("account", "create", "--email", "Rosa@Bücher.example");
    await people("add", store, "--email", "rosa@BÜCHER.example", "--role", "editor");
    const removed = await people("remove", store, "--email", "Rosa@Bücher.example");
    expect(removed.problem).toBe("");
    expect(await rolesIn(store)).toEqual([[store, "owner"]]);
  });

  test("gives a store without an owner one again", async () => {
    const [owner, person] = [await operator.account(), await operator.account()];
    const store = await onDatabase({ DATABASE_URL: operator.databaseUrl }, async (storage) => {
      const { account, storeId } = await findHolder(storage, { email: owner });
      await storage.db.deleteFrom("members").where("store", "=", account).execute();
      return storeId;
    });
    expect(await rolesIn(store)).toEqual([]);
    expect((await people("add", store, "--email", person, "--role", "owner")).code).toBe(0);
    expect(await rolesIn(store)).toEqual([[person, "owner"]]);
  });

  test("revokes the tokens that somebody made with their removal, if asked", async () => {
    const [store, person] = [await operator.account(), await operator.account()];
    await people("add", store, "--email", person, "--role", "developer");
    const made = await onDatabase({ DATABASE_URL: operator.databaseUrl }, async (storage) => {
      const [holder, maker] = [
        await findHolder(storage, { email: store }),
        await findHolder(storage, { email: person }),
      ];
      const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
      const actor = { kind: "operator", id: "", name: "tests" } as const;
      const caller = { ...sessionCaller(maker, ""), actor, account: holder.account };
      return (await storage.records.tokens.add(caller, token, newTokenSecret())).id;
    });
    await people("remove", store, "--email", person, "--revoke-tokens");
    const listed = await operator.json<{ id: string; revoked_at: string | null }[]>(
      "token",
      "list",
      "--account",
      store,
    );
    expect(listed.find(({ id }) => id === made)?.revoked_at).toBeString();
  });

  test.each([
    ["a role of no kind", ["role", "--role", "admin"], 2, "role"],
    ["somebody who does not belong to it", ["role", "--role", "viewer"], 1, "Nobody with the address"],
    ["the removal of somebody who does not belong to it", ["remove"], 1, "Nobody with the address"],
  ] as const)("refuses %s in one line", async (_, [verb, ...more], code, sentence) => {
    const [store, person] = [await operator.account(), await operator.account()];
    const refused = await people(verb, store, "--email", person, ...more);
    expect([refused.code, refused.out]).toEqual([code, ""]);
    expect(refused.problem).toContain(sentence);
    expect(await rolesIn(store)).toEqual([[store, "owner"]]);
  });

  test("leaves a store no owner less than one, and adds nobody twice", async () => {
    const store = await operator.account();
    const refused = await people("role", store, "--email", store, "--role", "viewer");
    expect([refused.code, refused.problem]).toEqual([
      1,
      "plantstore: The store would have no owner: make somebody else an owner first\n",
    ]);
    const again = await people("add", store, "--email", store, "--role", "viewer");
    expect([again.code, again.problem]).toEqual([1, `plantstore: ${store} belongs to this store already\n`]);
    expect(await rolesIn(store)).toEqual([[store, "owner"]]);
  });
});

describe("`account invite`", () => {
  test("prints the link alone", async () => {
    const store = await operator.account();
    const line = ["account", "invite", "--account", store, "--email", "Rosa@example.test", "--role", "viewer"];
    const { code, out } = await operator.run(...line);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/dashboard\/invitation\?token=[\w-]{32}\n$/),
    ]);
    expect(await operator.json(...line)).toMatchObject({ role: "viewer", link: expect.stringContaining("?token=") });
  });

  test("refuses who belongs already, and what is no address", async () => {
    const store = await operator.account();
    const invite = (email: string) =>
      operator.run("account", "invite", "--account", store, "--email", email, "--role", "viewer");
    expect((await invite(store)).problem).toBe(`plantstore: ${store} belongs to this store already\n`);
    expect((await invite("moss")).problem).toBe("plantstore: The e-mail address must be like name@example.org\n");
  });
});
