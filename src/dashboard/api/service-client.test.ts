import { afterEach, beforeEach, describe, expect, setSystemTime, spyOn, test } from "bun:test";
import { PlantstoreUnreachable } from "#client/error.ts";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { eventually } from "#test/support/eventually.ts";
import type { Fetch } from "./connection.ts";
import { Dismissed, NO_ANSWER, shownFailure } from "./failure.ts";
import { ServiceClient, ServiceClock } from "./service-client.ts";

const ORIGIN = "http://127.0.0.1:3000";
const PLANT =
  '{"id":9007199254740993,"name":"Fern","created_at":"2026-03-01T00:00:00Z","updated_at":"2026-03-01T00:00:00Z"}';
type Answer = Response | (() => Response | Promise<Response>);

let asked: { readonly call: string; readonly init: RequestInit }[];
let answers: Answer[];
let service: ServiceClient;

beforeEach(() => {
  asked = [];
  answers = [];
  const send: Fetch = async (address, init) => {
    asked.push({ call: `${init.method ?? "GET"} ${new URL(address, ORIGIN).pathname}`, init });
    const answer = answers.shift();
    if (!answer) throw new TypeError("Failed to fetch");
    return answer instanceof Response ? answer : answer();
  };
  service = new ServiceClient(send, ORIGIN, (options) => new PlantstoreClient(options));
});

const calls = () => asked.map(({ call }) => call);
const refused = (error: number, message = "No") =>
  Response.json({ error, message }, { status: Math.floor(error / 100), headers: { "Request-Id": "req_1" } });
describe("a request of the page", () => {
  test("is sent with the session's cookie, as JSON, and is kept by no cache", async () => {
    answers = [Response.json({ ok: 1 }), new Response(null, { status: 204 })];
    expect(await service.api<{ ok: number }>("GET", "/tokens")).toEqual({ ok: 1 });
    expect(await service.api("POST", "/sessions/end-others")).toBeUndefined();
    expect(calls()).toEqual(["GET /dashboard/api/tokens", "POST /dashboard/api/sessions/end-others"]);
    expect(asked[0]?.init).toMatchObject({ credentials: "same-origin", cache: "no-store" });
    expect(asked[0]?.init.body).toBeUndefined();
    expect(asked[1]?.init.body).toBe("{}");
    expect(new Headers(asked[1]?.init.headers).get("content-type")).toBe("application/json");
  });

  test("names the store that the page shows, once it knows it, and only where the service has stores", async () => {
    answers = [Response.json({}), Response.json({}), Response.json({})];
    await service.api("GET", "/tokens");
    service.store = "acc_2";
    await service.api("POST", "/tokens");
    await service.request("POST", "/auth/sign-out");
    const named = asked.map(({ init }) => new Headers(init.headers).get("plantstore-account"));
    expect(named).toEqual([null, "acc_2", null]);
  });

  test("that is refused for the role or the store makes the page ask for its session anew, which itself does not", async () => {
    answers = [refused(40356), refused(40450), refused(40353), refused(40450)];
    const staleSession = [];
    for (const path of ["/tokens", "/tokens/tok_1", "/tokens", "/session"]) {
      await service.api("GET", path).catch(() => {});
      staleSession.push(service.staleSession.get());
    }
    expect(staleSession).toEqual([1, 2, 2, 2]);
    expect(service.factorMissing.get()).toBe(false);
    answers = [refused(40358)];
    await service.api("GET", "/overview").catch(() => {});
    expect([service.factorMissing.get(), service.staleSession.get()]).toEqual([true, 2]);
  });

  test("that is refused fails with the number, the sentence and the request's id", async () => {
    answers = [refused(40003, "The name is missing"), new Response("<html>", { status: 502 })];
    const first = await service.api("POST", "/tokens").catch((error) => error);
    expect(first).toMatchObject({ status: 400, error: 40003, message: "The name is missing", requestId: "req_1" });
    const second = await service.api("GET", "/tokens").catch((error) => error);
    expect(second).toMatchObject({ status: 502, error: undefined, message: "Plantstore answered with status 502" });
    expect(service.connection.lost.get()).toBe(false);
  });

  test("without an answer says so, and reports the connection as lost", async () => {
    const failure = await service.api("GET", "/tokens").catch((error) => error);
    expect(failure).toMatchObject({ status: 0, message: NO_ANSWER });
    expect(service.connection.lost.get()).toBe(true);
    answers = [new Response()];
    await service.connection.retryNow();
  });

  test("that the page itself gave up does not count as a lost connection", async () => {
    await service.send("/v1/plants", { signal: AbortSignal.abort() }).catch(() => undefined);
    expect(service.connection.lost.get()).toBe(false);
  });

  test("that takes a proof waits for it, and is sent again as often as one is asked for", async () => {
    answers = [refused(40354), refused(40354), Response.json({ secret: "made" })];
    const made = service.api<{ secret: string }>("POST", "/tokens", { name: "Till" });
    for (let time = 0; time < 2; time++) {
      await eventually("a proof is asked for", service.proofs.wanted.get);
      service.proofs.end();
    }
    expect(await made).toEqual({ secret: "made" });
    expect(asked.map(({ init }) => String(init.body))).toEqual(Array(3).fill('{"name":"Till"}'));
    expect([asked.length, service.proofs.wanted.get()]).toEqual([3, false]);
  });

  test("that takes a proof the session does not have is not sent before it, each kind as the service counts it", async () => {
    const [until, past] = [new Date(Date.now() + 60_000).toISOString(), new Date(Date.now() - 1).toISOString()];
    const missing = (last: ServiceClient["proofs"]["last"]) => {
      service.proofs.last = last;
      return (["recent", "asked", "unspent"] as const).filter((kind) => service.proofs.isMissing(kind, Date.now()));
    };
    expect(missing(undefined)).toEqual([]);
    expect(missing(null)).toEqual(["recent", "asked", "unspent"]);
    expect(missing({ kind: "asked", until: past })).toEqual(["recent", "asked", "unspent"]);
    expect(missing({ kind: "sign-in", until })).toEqual(["asked", "unspent"]);
    expect(missing({ kind: "asked", until })).toEqual([]);
    service.proofs.spend();
    expect(missing(service.proofs.last)).toEqual(["unspent"]);
    answers = [Response.json({ secret: "made" })];
    const adding = service.api("GET", "/options", undefined, "unspent");
    expect([service.proofs.wanted.get(), asked.length]).toEqual([true, 0]);
    service.proofs.end();
    await adding;
    expect(asked).toHaveLength(1);
  });

  test("that takes a proof is sent again without another if one was given before its refusal came", async () => {
    const late = Promise.withResolvers<Response>();
    answers = [refused(40354), () => late.promise, Response.json(1), Response.json(2)];
    const both = Promise.all([service.api("POST", "/tokens"), service.api("POST", "/sessions/end-others")]);
    await eventually("a proof is asked for", service.proofs.wanted.get);
    service.proofs.end();
    late.resolve(refused(40354));
    await both;
    expect(service.proofs.wanted.get()).toBe(false);
  });

  test("that takes a proof ends quietly with all others when the dialog is closed", async () => {
    answers = [refused(40354), refused(40354)];
    const ask = spyOn(service.proofs, "ask");
    const both = Promise.allSettled([service.api("POST", "/tokens"), service.api("POST", "/account/delete")]);
    await eventually("both wait for a proof", () => ask.mock.calls.length === 2);
    service.proofs.end(new Dismissed("Not confirmed"));
    for (const end of await both) expect(end).toMatchObject({ status: "rejected", reason: expect.any(Dismissed) });
    expect(asked).toHaveLength(2);
  });

  test("that finds the session over says so once for the page", async () => {
    answers = [refused(40152), refused(40150)];
    await service.request("POST", "/auth/sign-in/email").catch(() => undefined);
    expect(service.sessionEnded.get()).toBe(false);
    await service.api("GET", "/tokens").catch(() => undefined);
    expect(service.sessionEnded.get()).toBe(true);
  });
});

describe("an answer that comes only after the next sign-in", () => {
  test("does not end that session", async () => {
    const late = Promise.withResolvers<Response>();
    answers = [() => late.promise];
    const failure = service.api("GET", "/tokens").catch((error) => error);
    service.beginSession();
    late.resolve(refused(40150));
    expect(await failure).toMatchObject({ status: 401 });
    expect(service.sessionEnded.get()).toBe(false);
  });
});

describe("an operation of the API", () => {
  const ID = 9007199254740993n;

  test("is sent by the session, in the store that the page shows, without a token", async () => {
    service.store = "acc_2";
    answers = [new Response(PLANT)];
    expect((await service.client.get(ID)).id).toBe(ID);
    expect(calls()).toEqual([`GET /dashboard/api/v1/plants/${ID}`]);
    const headers = new Headers(asked[0]?.init.headers);
    expect([headers.get("plantstore-account"), headers.get("authorization")]).toEqual(["acc_2", null]);
    expect(asked[0]?.init).toMatchObject({ credentials: "same-origin", cache: "no-store" });
  });

  test("that is refused tells the page that the session has ended, the role is another, or a second factor is missing", async () => {
    answers = [refused(40356), refused(40358), refused(40150)];
    const noted = [];
    for (let time = 0; time < 3; time++) {
      await service.client.get(ID).catch(() => {});
      noted.push([service.staleSession.get(), service.factorMissing.get(), service.sessionEnded.get()]);
    }
    expect(noted).toEqual([
      [1, false, false],
      [1, true, false],
      [1, true, true],
    ]);
  });
});

describe("the service's clock", () => {
  const NOW = Date.parse("2026-03-10T12:00:00.000Z");
  beforeEach(() => setSystemTime(NOW));
  afterEach(() => setSystemTime());
  const ahead = (...dates: readonly string[]) => {
    const clock = new ServiceClock();
    for (const date of dates) clock.learn(new Headers(date === "" ? {} : { Date: date }));
    return (clock.now() - NOW) / 1000;
  };

  test("is learned from an answer's Date, past and ahead, and not from a second of difference", () => {
    expect(ahead("Tue, 10 Mar 2026 12:10:00 GMT")).toBe(600);
    expect(ahead("Tue, 10 Mar 2026 11:00:00 GMT")).toBe(-3600);
    expect(ahead("Tue, 10 Mar 2026 11:59:59 GMT")).toBe(0);
  });

  test("believes a machine again whose own was set right", () => {
    expect(ahead("Tue, 10 Mar 2026 13:00:00 GMT", "Tue, 10 Mar 2026 12:00:00 GMT")).toBe(0);
  });

  test.each(["", "soon"])("stays as it was after an answer with the Date %j", (date) => {
    expect(ahead(date)).toBe(0);
  });
});

test("no answer from the API is shown as one of the connection, and what is nothing else as a fault of the page", () => {
  const { message, unreachable } = shownFailure(new PlantstoreUnreachable("network", "refused"));
  expect([message, unreachable]).toEqual([NO_ANSWER, true]);
  const fault = shownFailure("text");
  expect(fault.message).toBe("Something went wrong on this page. Reload it and try again. (text)");
  expect(fault.unreachable).toBe(false);
});
