import { afterAll, expect, test } from "bun:test";
import { Slots } from "#load/slots.ts";
import { testCaller } from "#test/support/audit.ts";
import { eventually } from "#test/support/eventually.ts";
import { RawConnection } from "#test/support/raw-connection.ts";
import { contextOfRequest } from "#test/support/request-context.ts";
import { ANSWERS, LargeAnswers, UncountedAnswer } from "./large-answer.ts";
import type { HttpServer } from "./service-parts.ts";

const LARGE = new Uint8Array(ANSWERS.each / 4).map((_, at) => at % 251);
const ACCOUNT = 1;
const held = new Slots(ANSWERS);
const answers = new LargeAnswers(held);
const server = serve(60);
afterAll(() => server.stop(true));

function serve(idleTimeout: number) {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout,
    fetch: (request, own) => answers.bounded(contextOf(request, ACCOUNT, own), new Response(LARGE)),
  });
}

function contextOf(request: Request, account = ACCOUNT, own: HttpServer = server) {
  const context = contextOfRequest(request, {}, undefined, own);
  context.report.caller = testCaller(account);
  return context;
}

function bounded(request: Request, answer: Response, account?: number): Promise<Response> {
  return answers.bounded(contextOf(request, account), answer);
}

const get = () => new Request("http://localhost/");

test("a large answer arrives whole with its length, a small one and one to HEAD as they are, and nothing stays counted", async () => {
  const answer = await fetch(server.url);
  expect(answer.headers.get("content-length")).toBe(String(LARGE.length));
  expect(Buffer.compare(await answer.bytes(), LARGE)).toBe(0);
  await eventually("it was sent", async () => held.total === 0);
  const head = await fetch(server.url, { method: "HEAD" });
  expect(head.headers.get("content-length")).toBe(String(LARGE.length));
  const init = {
    status: 201,
    headers: [
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
      ["Content-Type", "text/x"],
    ] as [string, string][],
  };
  const small = await bounded(get(), new Response("small", init));
  expect([small.status, [...small.headers], await small.text()]).toEqual([
    201,
    [
      ["content-type", "text/x"],
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
    ],
    "small",
  ]);
  expect((await bounded(get(), new Response(null, { status: 304 }))).status).toBe(304);
  expect(held.total).toBe(0);
});

test("readers that take nothing fill the bound of their account and no other's, and make room as they leave", async () => {
  const leaving = new AbortController();
  const fetched = () => fetch(server.url, { signal: leaving.signal });
  const slow = await Promise.all(Array.from({ length: 4 }, fetched));
  await eventually("all are held", async () => held.total === ANSWERS.each);
  const message = "This account has up to 48 MiB of large answers under way";
  await expect(bounded(get(), new Response(LARGE))).rejects.toThrow(message);
  expect(() => answers.requireRoom({ subject: ACCOUNT, server })).toThrow(message);
  expect(await bounded(get(), new Response(LARGE), 2)).toBeInstanceOf(UncountedAnswer);
  leaving.abort();
  await eventually("they have left", async () => held.total === 0);
  // It also keeps them until here: the runtime itself takes an answer that nobody can read any more.
  expect(slow.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  answers.requireRoom({ subject: ACCOUNT, server });
});

test("who has nothing finds room, though another reads none of what fills it: the oldest of that is cut", async () => {
  const bounds = { name: "large answers", all: 3 * LARGE.length, each: 2 * LARGE.length, unit: "bytes" as const };
  const full = new Slots(bounds);
  const own = new LargeAnswers(full);
  const shared = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, it) => own.bounded(contextOf(request, ACCOUNT, it), new Response(LARGE)),
  });
  const silent: RawConnection[] = [];
  for (let count = 1; count <= 2; count++) {
    const connection = await RawConnection.open(shared.url.origin);
    connection.stopReading();
    await connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    silent.push(connection);
    await eventually("it is held", () => full.total === count * LARGE.length);
  }
  full.acquireAdmitted(3, LARGE.length);
  const next = { subject: 2, server: shared };
  expect(() => own.requireRoom(next)).toThrow("Try again");
  await eventually("the oldest is cut", () => full.total === 2 * LARGE.length);
  own.requireRoom(next);
  for (const connection of silent) connection.close();
  await shared.stop(true);
});

test("the answer to what was written is sent whatever its account has under way", async () => {
  const end = held.acquireAdmitted(ACCOUNT, ANSWERS.each);
  const taken = { requestIP: () => null, timeout: () => {}, pendingRequests: 1 };
  const context = { method: "GET", subject: ACCOUNT, raw: get(), server: taken };
  const answer = (outcome: "created" | undefined) =>
    answers.answer({ ...context, report: { outcome, plantUpdatedAt: undefined } }, LARGE.slice(), {});
  expect(() => answer(undefined)).toThrow("48 MiB");
  expect(answer("created")).toBeInstanceOf(UncountedAnswer);
  end();
  await eventually("it was sent", () => held.total === 0);
});

test("a reader that takes nothing is cut when its connection has been silent for too long, and counts no more", async () => {
  // The runtime looks every 4 s: with as little as that, a connection may be cut as soon as it is there.
  const impatient = serve(8);
  const connection = await RawConnection.open(impatient.url.origin);
  connection.stopReading();
  await connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await eventually("it is held", async () => held.total === LARGE.length);
  await eventually("it was cut", async () => held.total === 0);
  connection.close();
  await impatient.stop(true);
});
