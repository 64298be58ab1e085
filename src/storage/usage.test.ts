import { expect, test } from "bun:test";
import { DAY_MS } from "#core/duration.ts";
import type { UsageCount } from "#core/usage.ts";
import { describeRecords } from "#test/support/test-records.ts";

const NOW = Date.parse("2026-03-10T12:34:56.000Z");

describeRecords("usage, on %s", (kept) => {
  function count(account: number, more: Partial<UsageCount> = {}): UsageCount {
    return { account, token: "tok_1", at: NOW, outcome: 1, count: 1, ...more };
  }

  test("response times are summed by span and bucket over all versions, for a token and for the whole account", async () => {
    const account = await kept.account();
    const { usage } = kept.records;
    const time = { account, token: "tok_1", version: "1.0.0", at: NOW, bucket: 9, count: 2 };
    await usage.addLatencies([time, { ...time, bucket: 12, count: 1 }, { ...time, version: "2.0.0" }]);
    await usage.addLatencies([{ ...time, token: undefined, count: 5 }]);
    const start = Date.parse("2026-03-10T12:00:00.000Z");
    for (const [token, counts] of [
      ["tok_1", { 9: 4, 12: 1 }],
      [undefined, { 9: 9, 12: 1 }],
    ] as const) {
      const slices = await kept.reads.usage.readLatencies(account, { span: "hour", from: start, token });
      expect(slices.map((slice) => slice.start)).toEqual([start, start]);
      expect(Object.fromEntries(slices.map(({ bucket, count }) => [bucket, count]))).toEqual(counts);
    }
  });

  test("nodes that count the same at the same time lose nothing", async () => {
    const account = await kept.account();
    const other = await kept.another();
    const tokens = Array.from({ length: 60 }, (_, n) => count(account, { token: `tok_${n}` }));
    const nodes = [kept.records.usage, other.records.usage];
    await Promise.all([1, 2, 3, 4, 5].flatMap(() => nodes.map((usage) => usage.add(tokens))));
    const [sum] = await kept.reads.usage.read(account, { span: "hour", from: 0 });
    expect(sum?.count).toBe(600);
    await other.records.close();
  });

  test("minutes are forgotten after two days, hours after two months", async () => {
    const account = await kept.account();
    const { usage } = kept.records;
    await usage.add([1, 3, 70].map((days) => count(account, { at: NOW - days * DAY_MS })));
    await usage.forgetOld(NOW);
    expect(await kept.reads.usage.read(account, { span: "minute", from: 0 })).toHaveLength(1);
    expect(await kept.reads.usage.read(account, { span: "hour", from: 0 })).toHaveLength(2);
  });
});
