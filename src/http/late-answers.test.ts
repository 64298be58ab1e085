import { describe, expect, test } from "bun:test";
import { LateAnswers } from "./late-answers.ts";

interface Sent {
  readonly path?: string;
  /** The account whose session sends it; a stranger by default. */
  readonly account?: number;
  /** Bytes that its Content-Length announces. */
  readonly body?: number;
  readonly isRefusal?: boolean;
  readonly isRead?: boolean;
  readonly endedAt?: number;
}

/** Resolves with the answer and whether it came at once. */
async function send(late: LateAnswers, sent: Sent) {
  const { path = "/v1/plants", account, body, isRefusal = false, isRead = false, endedAt = 0 } = sent;
  const headers: Record<string, string> = body === undefined ? {} : { "Content-Length": String(body) };
  const raw = new Request(`http://localhost${path}`, { method: "POST", headers, body: body ? "{}" : null });
  if (isRead) await raw.body?.[Symbol.asyncIterator]().next();
  const request = { raw, path, caller: account === undefined ? undefined : { account }, endedAt };
  let isAtOnce = true;
  const answered = new Promise<Response>((resolve) => late.send(request, new Response(), isRefusal, resolve));
  setTimeout(() => {
    isAtOnce = false;
  });
  const answer = await answered;
  return { isAtOnce, closes: answer.headers.get("connection") === "close" };
}

function sendMany(late: LateAnswers, count: number, sent: Sent) {
  return Promise.all(Array.from({ length: count }, () => send(late, sent)));
}

describe("answers to strangers", () => {
  test("past 500 in a second wait; the next second begins anew", async () => {
    const late = new LateAnswers();
    const first = await sendMany(late, 510, { endedAt: 5_999 });
    expect(first.map(({ isAtOnce }) => isAtOnce)).toEqual([...Array(500).fill(true), ...Array(10).fill(false)]);
    const next = await sendMany(late, 500, { endedAt: 6_999 });
    expect(next.every(({ isAtOnce }) => isAtOnce)).toBe(true);
  });

  test("with a session, or of a monitor, never wait", async () => {
    const late = new LateAnswers();
    await sendMany(late, 500, {});
    expect((await send(late, {})).isAtOnce).toBe(false);
    expect((await send(late, { path: "/readyz" })).isAtOnce).toBe(true);
    expect((await send(late, { account: 1 })).isAtOnce).toBe(true);
  });

  test("that are due together let other requests be served between them", async () => {
    const late = new LateAnswers();
    let sent = 0;
    let mostInATurn = 0;
    await sendMany(late, 500, {});
    const request = { raw: new Request("http://localhost/docs"), path: "/docs", caller: undefined, endedAt: 0 };
    for (let count = 0; count < 200; count++) late.send(request, new Response(), false, () => void sent++);
    for (let before = sent; sent < 200; before = sent) {
      await new Promise(setImmediate);
      mostInATurn = Math.max(mostInATurn, sent - before);
    }
    expect(mostInATurn).toBeLessThan(100);
  });

  test("that would be more than 10,000 late ones come at once", async () => {
    const late = new LateAnswers();
    const answers = await sendMany(late, 10_501, {});
    expect(answers.filter(({ isAtOnce }) => !isAtOnce).length).toBe(10_000);
    expect(answers.at(-1)).toEqual({ isAtOnce: true, closes: false });
  });
});

describe("refusals of requests with a large body that nobody read", () => {
  const REFUSED = { body: 8_000_000, account: 1, isRefusal: true };

  test("past 20 in a second wait, and past 64 that wait they close the connection", async () => {
    const late = new LateAnswers();
    const answers = await sendMany(late, 85, REFUSED);
    expect(answers.filter(({ isAtOnce }) => isAtOnce).length).toBe(21);
    expect(answers.filter(({ closes }) => closes)).toEqual([{ isAtOnce: true, closes: true }]);
    expect((await send(late, { ...REFUSED, account: 2 })).isAtOnce).toBe(true);
    expect((await send(late, { ...REFUSED, endedAt: 1000 })).isAtOnce).toBe(true);
  });

  test("wait again once those that waited are answered", async () => {
    const late = new LateAnswers();
    for (let round = 0; round < 2; round++) {
      const answers = await sendMany(late, 20 + 64, { ...REFUSED, account: round });
      expect(answers.filter(({ isAtOnce }) => !isAtOnce)).toHaveLength(64);
    }
  });

  test("wait no more than others if the request succeeded, its body is small, or it was read", async () => {
    const late = new LateAnswers();
    await sendMany(late, 20, REFUSED);
    expect((await send(late, { ...REFUSED, isRefusal: false })).isAtOnce).toBe(true);
    expect((await send(late, { ...REFUSED, body: 1000 })).isAtOnce).toBe(true);
    expect((await send(late, { ...REFUSED, isRead: true })).isAtOnce).toBe(true);
    expect((await send(late, REFUSED)).isAtOnce).toBe(false);
  });
});
