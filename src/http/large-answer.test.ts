import { afterAll, expect, test } from "bun:test";
import { ANSWERS } from "#load/limits.ts";
import { Slots } from "#load/slots.ts";
import { eventually } from "#test/support/eventually.ts";
import { LargeAnswers } from "./large-answer.ts";

const LARGE = new Uint8Array(ANSWERS.each / 4).map((_, at) => at % 251);
const held = new Slots(ANSWERS);
const answers = new LargeAnswers(held);
const server = Bun.serve({ port: 0, fetch: ({ method }) => new Response(answers.body(1, LARGE, method)) });
afterAll(() => server.stop(true));

test("a large answer arrives whole, a small one and one to HEAD are sent as they are, and nothing stays counted", async () => {
  const arrived = await (await fetch(server.url)).bytes();
  expect(Buffer.compare(arrived, LARGE)).toBe(0);
  await eventually("it was sent", async () => held.total === 0);
  const head = await fetch(server.url, { method: "HEAD" });
  expect(head.headers.get("content-length")).toBe(String(LARGE.length));
  expect(answers.body(1, LARGE.subarray(0, 10), "GET")).toBeInstanceOf(Uint8Array);
  expect(held.total).toBe(0);
});

test("readers that take nothing fill the bound of their account and no other's, and make room as they leave", async () => {
  const leaving = new AbortController();
  const fetched = () => fetch(server.url, { signal: leaving.signal });
  const slow = await Promise.all(Array.from({ length: 4 }, fetched));
  await eventually("all are held", async () => held.total === 4 * LARGE.length);
  expect(() => answers.body(1, LARGE, "GET")).toThrow("This account has up to 64 MiB of large answers under way");
  expect(answers.body(2, LARGE, "GET")).toBeInstanceOf(ReadableStream);
  leaving.abort();
  await eventually("they have left", async () => held.total === 0);
  // It also keeps them until here: the runtime itself takes an answer that nobody can read any more.
  expect(slow.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answers.body(1, LARGE, "GET")).toBeInstanceOf(ReadableStream);
});
