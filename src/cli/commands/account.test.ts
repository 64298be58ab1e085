import { describe, expect, test } from "bun:test";
import { AccountService } from "#accounts/account-service.ts";
import { signInTables } from "#accounts/sign-in-tables.ts";
import { newTokenSecret } from "#accounts/token-service.ts";
import { required } from "#storage/database-access.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { operatorCommands } from "#test/support/operator-commands.ts";
import { newPlants } from "#test/support/plant-lists.ts";
import { COMMAND, ROOT } from "#test/support/service.ts";
import { openTerminal } from "#test/support/terminal.ts";
import { findHolder, onDatabase } from "#test/support/test-account.ts";
import { newEndpoint, SEALED_SECRET } from "#test/support/webhook-progress.ts";

const operator = await operatorCommands();

/** Adds a passkey as the dashboard does. */
async function addPasskey(email: string, name: string): Promise<void> {
  const passkey = {
    name,
    publicKey: new Uint8Array(65),
    credentialId: crypto.randomUUID(),
    counter: 0,
    deviceType: "multiDevice",
    backedUp: true,
    transports: [],
    aaguid: "",
  } as const;
  await onDatabase({ DATABASE_URL: operator.databaseUrl }, async (storage) => {
    const person = await new AccountService(storage).requirePerson(email);
    const entry = { ...TEST_SOURCE, ofPerson: person.id, action: "passkey.added" } as const;
    const statement = storage.db.updateTable("people").set({ name }).where("id", "=", person.id);
    const first = required(statement, () => new Error("The account has gone"));
    await signInTables(storage).passkeys.add(person, { ...passkey, id: crypto.randomUUID() }, first, entry);
  });
}

/** A token that the person made by a page. */
async function addToken(email: string): Promise<void> {
  await onDatabase({ DATABASE_URL: operator.databaseUrl }, async (storage) => {
    const { id, account } = await findHolder(storage, { email });
    const token = { name: "till", scopes: ["plants:read"], expiresAt: undefined } as const;
    await storage.records.tokens.add({ ...TEST_SOURCE, account, person: id }, token, newTokenSecret());
  });
}

async function addEndpoint(email: string): Promise<void> {
  await onDatabase({ DATABASE_URL: operator.databaseUrl }, async (storage) => {
    const { account } = await findHolder(storage, { email });
    await new WebhookEndpoints(storage).add(newEndpoint(account), SEALED_SECRET, TEST_SOURCE);
  });
}

describe("`account create`", () => {
  test("prints the address and a generated password of 120 bits, another each time", async () => {
    const { code, out } = await operator.run("account", "create", "--email", "Rosa@Example.test");
    expect([code, out]).toEqual([0, expect.stringMatching(/^rosa@example\.test {2}password: [\w-]{20}\n$/)]);
    const second = await operator.json<{ password: string }>("account", "create", "--email", "ivy@example.test");
    expect(out).not.toContain(second.password);
  });

  test("refuses what is no address", async () => {
    const { code, out, problem } = await operator.run("account", "create", "--email", "a@b@example.test");
    expect([code, out, problem]).toEqual([2, "", "plantstore: The e-mail address must be like name@example.org\n"]);
  });

  test("refuses an address that has an account, and leaves that as it was", async () => {
    const email = await operator.account();
    const again = await operator.run("account", "create", "--email", email.toUpperCase());
    expect([again.code, again.out]).toEqual([1, ""]);
    const listed = await operator.json<{ owners: string[] }[]>("account", "list");
    expect(listed.filter(({ owners }) => owners.includes(email))).toHaveLength(1);
  });
});

describe("an account that is not there", () => {
  test.each(["password", "delete", "second-factor --off", "passkeys list", "passkeys remove"])(
    "is named by `account %s`, in one line without what a terminal would obey",
    async (command) => {
      const line = ["account", ...command.split(" "), "--email", "no\u001b[2J@example.test"];
      const { code, out, problem } = await operator.run(...line);
      expect([code, out]).toEqual([1, ""]);
      expect(problem).toMatch(/^plantstore: [^\n]*no\\u001b\[2J@example\.test\n$/);
    },
  );
});

describe("`account password`", () => {
  test("prints the new password, and warns of everything that still gets in", async () => {
    const email = await operator.account();
    await addToken(email);
    await addPasskey(email, "phone");
    const changed = await operator.run("account", "password", "--email", email);
    expect(changed.out).toMatch(new RegExp(`^${email} {2}password: \\S{20}\\n$`));
    expect(changed.problem).toBe(
      'It still gets in: 1 token ("token revoke ID", or "account password --revoke-tokens"), 1 passkey ("account passkeys remove").\n',
    );
  });

  test("with its three options leaves nothing that gets in or is sent events, and says nothing of it", async () => {
    const email = await operator.account();
    await addToken(email);
    await addPasskey(email, "phone");
    await addEndpoint(email);
    const changed = await operator.run("account", "password", "--email", email, "--revoke-tokens", "--remove-passkeys");
    expect(changed.problem).toBe(
      'Events are still sent to 1 webhook endpoint ("account password --disable-webhooks").\n',
    );
    const left = await operator.json<object>("account", "password", "--email", email, "--disable-webhooks");
    expect(left).toMatchObject({ email, active_tokens: 0, passkeys: 0, identities: 0, webhooks: 0 });
  });
});

describe("`account passkeys`", () => {
  test("lists them by name, harmless for a terminal, and removes one or all", async () => {
    const email = await operator.account();
    for (const name of ["phone\u001b[2J", "laptop", "key"]) await addPasskey(email, name);
    const list = () => operator.json<{ id: string; name: string }[]>("account", "passkeys", "list", "--email", email);
    const shown = await operator.run("account", "passkeys", "list", "--email", email);
    expect(shown.out).toContain("phone\\u001b[2J  20");
    const laptop = (await list()).find(({ name }) => name === "laptop");
    const one = await operator.run("account", "passkeys", "remove", "--email", email, "--id", laptop?.id ?? "");
    expect([one.out, one.problem]).toEqual([
      `${email}  1 passkey removed\n`,
      'It still gets in: 2 passkeys ("account passkeys remove").\n',
    ]);
    expect((await list()).map(({ name }) => name).sort()).toEqual(["key", "phone\u001b[2J"]);
    const rest = await operator.json<{ removed: string[] }>("account", "passkeys", "remove", "--email", email);
    expect(rest).toMatchObject({ email, removed: [expect.any(String), expect.any(String)], passkeys: 0 });
    expect(await list()).toEqual([]);
  });

  test("removes none of another account", async () => {
    const [own, other] = [await operator.account(), await operator.account()];
    await addPasskey(other, "theirs");
    const [theirs] = await operator.json<{ id: string }[]>("account", "passkeys", "list", "--email", other);
    const refused = await operator.run("account", "passkeys", "remove", "--email", own, "--id", theirs?.id ?? "");
    expect([refused.code, refused.problem]).toEqual([1, expect.stringContaining("has no passkey with the id")]);
    expect(await operator.json<unknown[]>("account", "passkeys", "list", "--email", other)).toHaveLength(1);
  });
});

test("a second factor is turned off, and an account removed once, with one line each", async () => {
  const email = await operator.account();
  expect((await operator.run("account", "second-factor", "--off", "--email", email)).out).toBe(
    `${email}  second factor off\n`,
  );
  expect(await operator.json<unknown>("account", "delete", "--email", email, "--yes")).toMatchObject({
    email,
    deleted: true,
  });
  expect((await operator.run("account", "delete", "--email", email, "--yes")).code).toBe(1);
});

test("a store is made for somebody, and the list names the owners of each", async () => {
  const email = "stores@example.test";
  await operator.run("account", "create", "--email", email, "--store-name", "First");
  const { out } = await operator.run("account", "create-store", "--email", email, "--name", "Trials", "--test");
  const list = () => operator.json<{ id: string; name: string; test: boolean; owners: string[] }[]>("account", "list");
  const owned = (await list()).filter(({ owners }) => owners.includes(email));
  expect(owned).toMatchObject([
    { name: "First", test: false, owners: [email] },
    { id: out.trim(), name: "Trials", test: true, owners: [email] },
  ]);
  for (const name of ["", " x", "x".repeat(101)]) {
    const refused = await operator.run("account", "create-store", "--email", email, "--name", name);
    expect([refused.code, refused.problem]).toEqual([2, expect.stringContaining("name must have 1 to 100 characters")]);
  }
  await operator.run("account", "delete", "--email", email, "--yes");
  expect((await list()).filter(({ id }) => owned.some((store) => store.id === id))).toEqual([]);
});

test("what goes with an account is named before it is removed, and where there is no terminal --yes is needed", async () => {
  const email = await operator.account();
  await operator.run("account", "create-store", "--email", email, "--name", "Trials");
  await addToken(email);
  await addEndpoint(email);
  const store = await onDatabase({ DATABASE_URL: operator.databaseUrl }, async (storage) => {
    const { account, storeId } = await findHolder(storage, { email });
    await storage.records.plants.createMany(account, newPlants(3));
    return storeId;
  });
  const going = "1 person, 2 stores, 3 plants, 1 token and 1 webhook endpoint";
  const refused = await operator.run("account", "delete", "--email", email);
  expect([refused.code, refused.problem]).toEqual([
    2,
    `plantstore: ${email} goes, with ${going}, which cannot be undone: give --yes to remove it without a terminal\n`,
  ]);
  expect((await operator.run("token", "list", "--account", store)).out).toContain("till");
  expect((await operator.run("account", "delete", "--email", email, "--yes")).out).toBe(
    `${email}  removed, with ${going}\n`,
  );
});

test("on a terminal an account is removed only when its address is typed again", async () => {
  const email = await operator.account();
  const environment = { PATH: process.env.PATH ?? "", DATABASE_URL: operator.databaseUrl };
  const answer = async (typed: string) => {
    const terminal = openTerminal([COMMAND, "account", "delete", "--email", email], { cwd: ROOT, env: environment });
    await terminal.shows("Type it again");
    terminal.type(typed);
    const code = await terminal.process.exited;
    terminal.close();
    return { code, screen: terminal.screen() };
  };
  expect(await answer("y\n")).toMatchObject({ code: 2, screen: expect.stringContaining("Nothing was removed") });
  expect(await answer("\x04")).toMatchObject({ code: 2 });
  expect(await answer(`${email}\n`)).toMatchObject({
    code: 0,
    screen: expect.stringContaining("removed, with 1 person"),
  });
});
