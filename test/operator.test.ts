import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newMigratedDatabase } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { outcomeOf } from "./support/process.ts";
import { COMMAND, startService, temporaryFolder } from "./support/service.ts";
import { addAccount, onDatabase } from "./support/test-account.ts";

/** A connection or a timer that is left open holds a command for two seconds. */
const ENDS_MS_MAX = 1500;

const service = await startService({ engine: "sqlite", settings: { SINGUP: "closed" } });
afterAll(() => service.stop());

const run = (...args: string[]) => runWith("", ...args);

function runWith(input: string | Uint8Array<ArrayBuffer>, ...args: string[]) {
  const options = { cwd: service.folder, env: service.environment, stdout: "pipe", stderr: "pipe" } as const;
  return outcomeOf(Bun.spawn([COMMAND, ...args], { ...options, stdin: new Blob([input]) }));
}

test("a variable that is nearly a setting is a warning at the start", () => {
  expect(service.log()).toContainEqual(expect.objectContaining({ level: "warn", msg: "SINGUP: do you mean SIGNUP?" }));
});

test("`status` says whether the server that answers has the same database, and ends with 0 if it is ready", async () => {
  const PORT = new URL(service.url).port;
  const status = async (DATABASE_URL: string) => {
    const env = { ...service.environment, PORT, DATABASE_URL };
    const ended = await outcomeOf(
      Bun.spawn([COMMAND, "status", "--json"], { cwd: service.folder, env, stdout: "pipe", stderr: "pipe" }),
    );
    return { code: ended.code, ...JSON.parse(ended.out) };
  };
  const own = await status(service.environment.DATABASE_URL ?? "");
  expect(own).toMatchObject({ code: 0, server: { ready: true, same_database: true }, problems: [] });
  const DATABASE_URL = `sqlite:${temporaryFolder()}/other.db`;
  await onDatabase({ DATABASE_URL }, async () => {});
  const other = await status(DATABASE_URL);
  expect(other.server).toMatchObject({ ready: true, same_database: false });
  expect(other.problems).toEqual([expect.stringContaining("server: it runs on another database than sqlite:")]);
});

test("`status`, `health` and the API's commands ask the server whose HOST and PORT are in the file of --env-file", async () => {
  const { hostname: HOST, port: PORT } = new URL(service.url);
  const file = join(service.folder, "settings");
  writeFileSync(file, `HOST=${HOST}\nPORT=${PORT}\nDATABASE_URL=${service.environment.DATABASE_URL}\n`);
  const env = { PATH: process.env.PATH ?? "", PLANTSTORE_TOKEN: await service.token() };
  for (const [line, said] of [
    ["status --json", `"url": "${service.url}/readyz"`],
    ["health", `${service.url}/readyz is ready`],
    ["plants add 7 Fern", "7  Fern"],
    ["events list --json", '"plant.created"'],
  ] as const) {
    const options = { cwd: temporaryFolder(), env, stdout: "pipe", stderr: "pipe" } as const;
    const { code, out } = await outcomeOf(Bun.spawn([COMMAND, ...line.split(" "), "--env-file", file], options));
    expect([line, code, out]).toEqual([line, 0, expect.stringContaining(said)]);
  }
});

describe("the operator's commands work beside a running server", () => {
  test("a given password is taken from standard input and never printed; one that no page could send is wrong usage", async () => {
    const password = "nine green bottles";
    const made = await runWith(`${password}\n`, "account", "create", "--email", "ivy@example.test", "--password-stdin");
    expect(made.code).toBe(0);
    expect(made.out).not.toContain(password);
    for (const bad of ["short\n", "nine\0green bottles", Buffer.from("nine gr\xfcn bottles", "latin1")]) {
      const refused = await runWith(bad, "account", "password", "--email", "ivy@example.test", "--password-stdin");
      expect(refused).toMatchObject({
        code: 2,
        problem: expect.stringContaining("The password on standard input must "),
      });
    }
  });

  test("each entry of the audit log that a command makes is a line of the service's log, and none of its own", async () => {
    const account = ["--account", "logged@example.test"];
    const created = await run("account", "create", "--email", "logged@example.test");
    const token = await run("token", "create", ...account, "--name", "till");
    expect([created.problem, token.problem]).toEqual(["", ""]);
    const entries: { id: string }[] = JSON.parse((await run("audit", "list", ...account, "--json")).out);
    const logged = () => service.log().filter(({ id }) => entries.some((entry) => entry.id === id));
    await eventually("both are logged", () => logged().length >= entries.length);
    expect(logged()).toMatchObject([
      { level: "info", msg: "audit", action: "store.created", actor: "operator" },
      { level: "info", msg: "audit", action: "token.created", actor: "operator" },
    ]);
    expect(service.output()).not.toContain(token.out.trim());
  });
});

test.each([
  ["account list", (url: string) => url],
  ["status", (url: string) => url.replace(":secret@", "@")],
])("`%s` on PostgreSQL ends as soon as it has printed, also without the password", async (line, used) => {
  const DATABASE_URL = await newMigratedDatabase("postgres", service.folder);
  const env = { ...service.environment, DATABASE_URL };
  await onDatabase({ DATABASE_URL }, (storage) => addAccount(storage, "fern@example.test"));
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
