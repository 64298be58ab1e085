import { expect, setSystemTime, test } from "bun:test";
import { sql } from "kysely";
import type { StoreCaller } from "#core/caller.ts";
import { MemoryCounts } from "#load/throttle.ts";
import { eventually, promptly } from "#test/support/eventually.ts";
import { contextWith } from "#test/support/request-context.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { RateLimit } from "./rate-limit.ts";

/** A limit whose second does not end during a test. */
function limited(requestsPerSecond: number): RateLimit {
  return new RateLimit(new MemoryCounts(), requestsPerSecond, () => 0);
}

const context = () => contextWith({});

function token(id: string): StoreCaller {
  return { account: 1, actor: { kind: "token", id, name: "" }, person: undefined };
}

function page(session: string, person: string, account = 1): StoreCaller {
  return { account, actor: { kind: "session", id: session, name: "" }, person };
}

async function outcome(limit: RateLimit, of: StoreCaller): Promise<string> {
  return limit.count(context(), of).then(
    () => "passed",
    ({ code }) => code,
  );
}

test("all pages of a store share one limit, apart from its tokens and from other stores", async () => {
  const limit = limited(1);
  expect(await outcome(limit, page("ses_1", "ada"))).toBe("passed");
  expect(await outcome(limit, page("ses_2", "bob"))).toBe("rate-limited");
  expect(await outcome(limit, token("c"))).toBe("passed");
  expect(await outcome(limit, page("ses_1", "ada", 2))).toBe("passed");
});

test("an import takes three quarters at most, counts what it wrote, and ends while it waits if it must", async () => {
  const limit = limited(12);
  expect(await outcome(limit, token("a"))).toBe("passed");
  let asked = 0;
  const stop = () => {
    if (++asked === 4) throw new Error("revoked");
  };
  const bulk = limit.bulk(context(), token("a"), stop);
  expect(await bulk.allow(6)).toBe(6);
  bulk.wrote(5);
  expect(await bulk.allow(6)).toBe(3);
  bulk.wrote(3);
  const waiting = bulk.allow(6);
  await expect(promptly("the import ends while it waits", waiting)).rejects.toThrow("revoked");
  // What is left is for single requests.
  for (let left = 0; left < 3; left++) expect(await outcome(limit, token("a"))).toBe("passed");
  expect(await outcome(limit, token("a"))).toBe("rate-limited");
});

test("of one request a second an import takes one", async () => {
  const bulk = limited(1).bulk(context(), token("a"), () => undefined);
  expect(await bulk.allow(6)).toBe(1);
});

describeRecords("requests counted on %s", (opened, engine) => {
  const passes = async (limit: RateLimit, of: StoreCaller) => (await outcome(limit, of)) === "passed";

  test("are refused for no longer than a second when the clock goes back", async () => {
    const limit = new RateLimit(opened.storage.requestCounts, 1);
    setSystemTime(Date.now() + 3_600_000);
    expect(await passes(limit, token("back"))).toBe(true);
    expect(await passes(limit, token("back"))).toBe(false);
    setSystemTime();
    await eventually("the token is served again", () => passes(limit, token("back")), 10_000);
  });

  test.if(engine === "postgres")("by a database whose clock was far ahead are counted no more", async () => {
    const limit = new RateLimit(opened.storage.requestCounts, 1);
    expect(await passes(limit, token("ahead"))).toBe(true);
    await sql`UPDATE request_counts SET expire = expire + 3600000`.execute(opened.storage.db);
    expect(await passes(limit, token("ahead"))).toBe(true);
    expect(await passes(limit, token("ahead"))).toBe(false);
  });
});
