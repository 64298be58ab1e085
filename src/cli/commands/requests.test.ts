import { afterEach, beforeEach, describe, expect, setSystemTime, spyOn, test } from "bun:test";
import type { LoggedRequest } from "#core/request-log.ts";
import { RequestLogReader } from "#storage/request-log-query.ts";
import { eventually } from "#test/support/eventually.ts";
import { operatorCommands } from "#test/support/operator-commands.ts";
import { findHolder, onDatabase } from "#test/support/test-account.ts";

const operator = await operatorCommands();

const AT = Date.parse("2026-03-10T12:00:00.000Z");
const REQUEST = { method: "POST", path: "/v1/plants", status: 200, ms: 1 };
let email: string;
let requests = 0;
beforeEach(async () => {
  email = await operator.account();
});
afterEach(() => void setSystemTime());

/** Logs requests of the account, each a second after the one before, and gives their ids. */
function log(...all: readonly Partial<LoggedRequest>[]): Promise<string[]> {
  return onDatabase({ DATABASE_URL: operator.databaseUrl }, async (storage) => {
    const { records } = storage;
    const { account } = await findHolder(storage, { email });
    const entries = all.map((more, index) => {
      const at = AT + index * 1000;
      return { ...REQUEST, account, requestId: `req_${++requests}`, at, ...more };
    });
    await records.requests.add(entries);
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

describe("`requests tail`", () => {
  async function tailing() {
    const { out, ended } = operator.start("requests", "tail", "--account", email, "--json");
    await eventually("the command waits for Ctrl-C", async () => process.listenerCount("SIGINT") > 0);
    return {
      isShown: (id = "") => eventually(`${id} is shown`, () => out().includes(id)),
      async stopped() {
        process.emit("SIGINT");
        const { code, out, problem } = await ended;
        const lines = out.trim().split("\n");
        return { code, problem, ids: lines.map((line) => JSON.parse(line).request_id) };
      },
    };
  }

  test("shows each request from now on once, in its order, and ends with 0 at Ctrl-C", async () => {
    await log({ at: Date.now() - 5000 });
    const { isShown, stopped } = await tailing();
    // None of them is too old for a look, however late that comes.
    const at = Date.now() + 3_600_000;
    const sent = await log({ at }, { at: at + 1 });
    await isShown(sent.at(-1));
    // The look that finds the third request finds the other two again.
    sent.push(...(await log({ at: at + 2 })));
    await isShown(sent.at(-1));
    expect(await stopped()).toEqual({ code: 0, problem: "plantstore: Stopped. 3 requests shown\n", ids: sent });
  });

  test("shows what was logged during a look at the log that took long", async () => {
    const { list } = RequestLogReader.prototype;
    const during = Promise.withResolvers<string[]>();
    using _look = spyOn(RequestLogReader.prototype, "list").mockImplementationOnce(async function (
      this: RequestLogReader,
      ...asked
    ) {
      const page = await list.apply(this, asked);
      during.resolve(log({ at: Date.now() + 1 }));
      await during.promise;
      setSystemTime(Date.now() + 60_000);
      return page;
    });
    const { isShown, stopped } = await tailing();
    const sent = await during.promise;
    await isShown(sent.at(-1));
    expect((await stopped()).ids).toEqual(sent);
  });
});
