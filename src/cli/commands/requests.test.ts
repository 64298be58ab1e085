import { beforeEach, describe, expect, test } from "bun:test";
import type { LoggedRequest } from "#core/request-log.ts";
import { eventually } from "#test/support/eventually.ts";
import { operatorCommands } from "#test/support/operator-commands.ts";
import { onDatabase } from "#test/support/test-account.ts";

const operator = await operatorCommands();

const AT = Date.parse("2026-03-10T12:00:00.000Z");
let email: string;
let requests = 0;
beforeEach(async () => {
  email = await operator.account();
});

/** Logs requests of the account, each a second after the one before, and gives their ids. */
function log(...all: readonly Partial<LoggedRequest>[]): Promise<string[]> {
  return onDatabase({ DATABASE_URL: operator.databaseUrl }, async ({ store }) => {
    const account = (await store.accounts.find({ email }))?.number ?? 0;
    const entries = all.map((more, index) => {
      const at = AT + index * 1000;
      return {
        account,
        requestId: `req_${++requests}`,
        at,
        method: "POST",
        path: "/v1/plants",
        status: 200,
        ms: 1,
        ...more,
      };
    });
    await store.requests.add(entries);
    return entries.map(({ requestId }) => requestId);
  });
}

const list = (...options: string[]) =>
  operator.json<{ request_id: string }[]>("requests", "list", "--account", email, ...options);
const ids = async (...options: string[]) => (await list(...options)).map(({ request_id }) => request_id);

describe("`requests list`", () => {
  test("shows the newest at the bottom, as many as were asked for, and what its filters leave", async () => {
    const [own] = await log({ source: "dashboard" });
    const [fine, taken, wrong, away] = await log(
      {},
      { status: 409, error: 40901 },
      { status: 400, error: 40003 },
      { status: 503 },
    );
    expect(await ids()).toEqual([fine, taken, wrong, away] as string[]);
    expect(await ids("--limit", "2")).toEqual([wrong, away] as string[]);
    expect(await ids("--status", "4xx,503")).toEqual([taken, wrong, away] as string[]);
    expect(await ids("--error", "40901")).toEqual([taken] as string[]);
    expect(await ids("--source", "dashboard")).toEqual([own] as string[]);
  });

  test("shows a message and a path without what a terminal would obey, each request on one line", async () => {
    const [id] = await log({ path: "/v1/\u001b[2J", status: 400, error: 40003, message: "a\nb\u202e" });
    const { out } = await operator.run("requests", "list", "--account", email);
    expect(out).toBe(`2026-03-10T12:00:00.000Z  40003  POST  /v1/\\u001b[2J  1    ${id}  a\\nb\\u202e\n`);
  });

  test("knows nothing of another account's requests", async () => {
    const [theirs = ""] = await log({});
    email = await operator.account();
    expect(await ids()).toEqual([]);
    const { code, problem } = await operator.run("requests", "get", theirs, "--account", email);
    expect([code, problem]).toEqual([1, `plantstore: There is no request ${theirs} in the log of ${email}\n`]);
  });
});

test("`requests get` shows every member that is known of one request, with what was sent", async () => {
  const [id = ""] = await log({
    status: 400,
    error: 40003,
    token: { id: "tok_1", name: "Till" },
    excerpt: '{"id":"x"}',
  });
  const { out } = await operator.run("requests", "get", id, "--account", email);
  expect(out).toMatch(/^excerpt {5}\{"id":"x"\}$/m);
  expect(out).toMatch(/^token {7}\{"id":"tok_1","name":"Till"\}$/m);
  expect(out).not.toContain("undefined");
  expect(await operator.json<object>("requests", "get", id, "--account", email)).toMatchObject({
    request_id: id,
    excerpt: '{"id":"x"}',
  });
});

test("`requests tail` shows each request from now on once, in its order, and ends with 0 at Ctrl-C", async () => {
  await log({ at: Date.now() - 5000 });
  const tailing = operator.start("requests", "tail", "--account", email, "--json");
  await eventually("the command waits for Ctrl-C", async () => process.listenerCount("SIGINT") > 0);
  const now = Date.now() + 1000;
  const sent = await log({ at: now }, { at: now + 1 });
  const isShown = (id = "") => eventually(`${id} is shown`, () => tailing.out().includes(id));
  await isShown(sent.at(-1));
  // The look that finds the third request finds the other two again.
  sent.push(...(await log({ at: now + 2 })));
  await isShown(sent.at(-1));
  process.emit("SIGINT");
  const { code, out, problem } = await tailing.ended;
  expect([code, problem]).toEqual([0, "plantstore: Stopped. 3 requests shown\n"]);
  expect(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).request_id),
  ).toEqual(sent);
}, 60_000);
