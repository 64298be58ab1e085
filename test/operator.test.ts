import { afterAll, describe, expect, test } from "bun:test";
import { newMigratedDatabase } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { expectRefusedWithinASecond } from "./support/refused.ts";
import { COMMAND, runCommand, startService } from "./support/service.ts";

/** A connection or a timer that is left open holds a command for two seconds. */
const ENDS_MS_MAX = 1500;

const service = await startService();
afterAll(() => service.stop());

async function run(...args: string[]) {
  return runWith("", ...args);
}

async function runWith(input: string, ...args: string[]) {
  const options = { cwd: service.folder, env: service.environment, stdout: "pipe", stderr: "pipe" } as const;
  const child = Bun.spawn([COMMAND, ...args], { ...options, stdin: new Blob([input]) });
  const [output, problem] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, output, problem };
}

describe("the operator's commands work beside a running server", () => {
  test("a given password is taken from standard input and never printed; a short one is wrong usage", async () => {
    const password = "nine green bottles";
    const made = await runWith(`${password}\n`, "account", "create", "--email", "ivy@example.test", "--password-stdin");
    expect(made.exitCode).toBe(0);
    expect(made.output).not.toContain(password);
    const short = await runWith("short\n", "account", "password", "--email", "ivy@example.test", "--password-stdin");
    expect(short.exitCode).toBe(2);
  });

  test("a token is printed alone, listed without its secret, and dead within a second of its revocation", async () => {
    await run("account", "create", "--email", "moss@example.test");
    const args = [
      "--account",
      "moss@example.test",
      "--name",
      "greenhouse",
      "--scope",
      "plants:write",
      "--expires",
      "90d",
    ];
    const { output } = await run("token", "create", ...args);
    expect(output).toMatch(/^plant_[0-9A-Za-z]{36}\n$/);
    const secret = output.trim();
    const listed = await run("token", "list", "--account", "moss@example.test", "--json");
    expect(listed.output).not.toContain(secret);
    const [token] = JSON.parse(listed.output);
    expect(token).toEqual({
      id: expect.any(String),
      name: "greenhouse",
      hint: `${secret.slice(0, 10)}…${secret.slice(-4)}`,
      scopes: ["plants:write"],
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: expect.any(String),
      revoked_at: null,
    });
    expect((await create(secret, 1)).status).toBe(200);
    expect((await run("token", "revoke", token.id)).exitCode).toBe(0);
    await expectRefusedWithinASecond(async () => (await create(secret, 1)).status);
  });

  test("each entry of the audit log that a command makes is a line of the service's log, and none of its own", async () => {
    const account = ["--account", "logged@example.test"];
    const created = await run("account", "create", "--email", "logged@example.test");
    const token = await run("token", "create", ...account, "--name", "till");
    expect([created.problem, token.problem]).toEqual(["", ""]);
    const entries: { id: string }[] = JSON.parse((await run("audit", "list", ...account, "--json")).output);
    const logged = () =>
      service
        .output()
        .split("\n")
        .filter((line) => entries.some(({ id }) => line.includes(id)));
    await eventually("both are logged", () => logged().length >= entries.length);
    expect(logged().map((line) => JSON.parse(line))).toMatchObject([
      { level: "info", msg: "audit", action: "account.created", actor: "operator" },
      { level: "info", msg: "audit", action: "token.created", actor: "operator" },
    ]);
    expect(service.output()).not.toContain(token.output.trim());
  });

  test("a removed account's token is refused, and its plants are gone", async () => {
    await run("account", "create", "--email", "reed@example.test");
    const secret = (await run("token", "create", "--account", "reed@example.test", "--name", "x")).output.trim();
    expect((await create(secret, 1)).status).toBe(200);
    expect((await run("account", "delete", "--email", "reed@example.test")).exitCode).toBe(0);
    await expectRefusedWithinASecond(async () => (await create(secret, 1)).status);
  });
});

test.each([
  ["account list", (url: string) => url],
  ["status", (url: string) => url.replace(":secret@", "@")],
])("`%s` on PostgreSQL ends as soon as it has printed, also without the password", async (line, used) => {
  const DATABASE_URL = await newMigratedDatabase("postgres", service.folder);
  const env = { ...service.environment, DATABASE_URL };
  await runCommand(env, service.folder, ["account", "create", "--email", "fern@example.test"]);
  env.DATABASE_URL = used(DATABASE_URL);
  let ms = Number.POSITIVE_INFINITY;
  // The rest of the machine only ever adds time.
  for (let tries = 0; tries < 10 && ms >= ENDS_MS_MAX; tries++) {
    const child = Bun.spawn([COMMAND, ...line.split(" ")], { cwd: service.folder, env, stdout: "pipe" });
    await child.stdout.getReader().read();
    const printed = performance.now();
    await child.exited;
    ms = Math.min(ms, performance.now() - printed);
  }
  expect(ms).toBeLessThan(ENDS_MS_MAX);
});

function create(secret: string, id: number): Promise<Response> {
  const headers = { Authorization: `Bearer ${secret}` };
  return fetch(`${service.url}/v1/plants`, { method: "POST", headers, body: `{"id":${id},"name":"Fern"}` });
}
