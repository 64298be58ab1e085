import { expect, test } from "bun:test";
import type { Failure } from "#core/failure.ts";
import type { CountedAs } from "#load/counted-as.ts";
import { eventually } from "#test/support/eventually.ts";
import { openApp } from "#test/support/open-app.ts";
import { RawConnection } from "#test/support/raw-connection.ts";
import { rawRequest } from "#test/support/raw-request.ts";
import { refusal } from "#test/support/refusal.ts";
import { createApp } from "./app.ts";
import { type AwaitedBody, SILENCE_MS_MAX, UnfinishedBodies } from "./unfinished-bodies.ts";

const MIB = 1024 * 1024;

test("unfinished bodies are bounded, of an account and of all, and what arrived makes room", () => {
  const bodies = new UnfinishedBodies();
  const outcome = (account: number) => refusal(() => bodies.reserved.acquire(account, MIB))[0];
  const releases = Array.from({ length: 32 }, () => bodies.reserved.acquire(1, MIB));
  expect(outcome(1)).toBe("rate-limited");
  expect(outcome(2)).toBe("taken");
  releases[0]?.();
  expect(outcome(1)).toBe("taken");
  const others = Array.from({ length: 64 }, (_, other) => outcome(3 + other));
  expect([others.indexOf("unavailable"), others.at(-1)]).toEqual([63, "unavailable"]);
});

/** Bodies that are awaited, each named by its number, and the names of those that were refused. */
function awaiting(bodies: UnfinishedBodies) {
  const refused: string[] = [];
  const wait = (subject: CountedAs, startedAt: number): AwaitedBody => {
    const refuse = ({ code }: Failure) => void refused.push(`${subject} ${startedAt} ${code}`);
    const body: AwaitedBody = { subject, startedAt, refuse, previous: undefined, next: undefined };
    bodies.wait(body);
    return body;
  };
  return { refused, wait };
}

test.each([1, "192.0.2.7"])("a body that stalls is refused, one that arrived or came later is not (%p)", (subject) => {
  const bodies = new UnfinishedBodies();
  const { refused, wait } = awaiting(bodies);
  const stalled = wait(subject, 0);
  const arrived = wait(subject, 10);
  const later = wait(subject, 20);
  bodies.arrived(arrived);
  bodies.refuseStalled(stalled.startedAt + SILENCE_MS_MAX - 1);
  expect(refused).toEqual([]);
  bodies.refuseStalled(stalled.startedAt + SILENCE_MS_MAX);
  bodies.refuseStalled(later.startedAt + SILENCE_MS_MAX - 1);
  expect(refused).toEqual([`${subject} 0 request-timeout`]);
});

test.each([1, "192.0.2.7"])("a body that arrived just before its place was needed is not refused (%p)", (subject) => {
  const bodies = new UnfinishedBodies();
  const { refused, wait } = awaiting(bodies);
  const [arrived, awaited] = [wait(subject, 0), wait(subject, 1)];
  bodies.arrived(arrived);
  bodies.evict(arrived);
  expect(refused).toEqual([]);
  bodies.evict(awaited);
  expect(refused).toEqual([`${subject} 1 request-timeout`]);
});

test.each([1, "192.0.2.7"])(
  "bodies that arrive in any order leave none behind, and all that stay are refused (%p)",
  (subject) => {
    const bodies = new UnfinishedBodies();
    const { refused, wait } = awaiting(bodies);
    const entries = [0, 1, 2, 3, 4, 5, 6].map((startedAt) => wait(subject, startedAt));
    for (const index of [3, 0, 6, 3]) bodies.arrived(entries[index] as AwaitedBody);
    bodies.refuseStalled(SILENCE_MS_MAX + 7);
    expect(refused).toEqual([1, 2, 4, 5].map((startedAt) => `${subject} ${startedAt} request-timeout`));
    wait(subject, 0);
    bodies.refuseStalled(SILENCE_MS_MAX + 7);
    expect(refused).toHaveLength(5);
  },
);

const PLANT = '{"id":1,"name":"Fern"}';
const BOUNDS = { name: "bodies", each: 3, all: 20 };
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

test("strangers without end have half of the places, the oldest makes room, and every account is served", () => {
  const { refused, wait } = awaiting(new UnfinishedBodies(BOUNDS));
  for (const number of numbers(15)) wait(`192.0.2.${number}`, number);
  expect(refused).toEqual([0, 1, 2, 3, 4].map((number) => `192.0.2.${number} ${number} request-timeout`));
  for (const number of numbers(20)) wait(number, number);
  expect(refused).toHaveLength(15);
  expect(() => wait("192.0.2.15", 15)).toThrow("Too many bodies are under way; try again");
});

test("the bodies of one network of strangers make room for its own, and those of others stay", () => {
  const { refused, wait } = awaiting(new UnfinishedBodies(BOUNDS));
  for (const number of numbers(3)) wait("198.51.100.1", number);
  for (const number of numbers(100)) wait("192.0.2.7", 3 + number);
  wait("198.51.100.2", 200);
  expect(refused.length).toBeGreaterThan(90);
  expect(refused.filter((name) => !name.startsWith("192.0.2.7"))).toEqual([]);
});

test("an account that fills half of the places gets no more, others have theirs, and what arrived makes room", () => {
  const bodies = new UnfinishedBodies(BOUNDS);
  const { refused, wait } = awaiting(bodies);
  const outcome = (account: number) => refusal(() => wait(account, 0))[0];
  const first = numbers(10).map((number) => wait(1, number));
  expect([outcome(1), outcome(2), outcome(2), outcome(2), outcome(2)]).toEqual([
    "rate-limited",
    ...["taken", "taken", "taken"],
    "rate-limited",
  ]);
  for (const body of first) bodies.arrived(body);
  expect(numbers(7).map(() => outcome(1))).toEqual(numbers(7).map(() => "taken"));
  expect(refused).toEqual([]);
});

/** The app with these bodies, on a port of its own. */
async function serving(unfinishedBodies: UnfinishedBodies) {
  const app = await openApp();
  const { plants, fetch: other } = createApp({ ...app.service, guards: { ...app.service.guards, unfinishedBodies } });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, it) => (plants.get(new URL(request.url).pathname)?.create ?? other)(request, it),
  });
  const url = server.url.origin;
  const account = async () => `Bearer ${await app.token(await app.account())}`;
  const create = async (Authorization: string, body: string) =>
    (await fetch(`${url}/v1/plants`, { method: "POST", headers: { Authorization }, body })).status;
  const close = async () => {
    await server.stop(true);
    await app.close();
  };
  return { url, account, create, close };
}

const PLACE_NEEDED = {
  status: 408,
  body: JSON.stringify({
    error: 40801,
    message: "The body did not arrive before its place was needed; send it again",
  }),
};

test("unfinished forms of strangers on real connections end, the oldest first, with 408, and every create is served", async () => {
  const { url, account, create, close } = await serving(new UnfinishedBodies(BOUNDS));
  const token = await account();
  const head = ["Content-Type: application/json", "Content-Length: 20", "Origin: http://plants.example"];
  const forms: RawConnection[] = [];
  for (const _ of numbers(15)) {
    const form = await RawConnection.open(url);
    await form.send(rawRequest({ target: "/auth/sign-in/email", headers: head, body: "{" }));
    forms.push(form);
    expect(await create(token, PLANT)).toBe(200);
  }
  const [first] = forms;
  expect(await first?.answer()).toMatchObject(PLACE_NEEDED);
  await first?.closed();
  expect(forms.at(-1)?.ended).toBe(false);
  for (const form of forms) form.close();
  await close();
});

test("a large create finds a place though other accounts hold all of them and send nothing on", async () => {
  const unfinishedBodies = new UnfinishedBodies();
  const { url, account, create, close } = await serving(unfinishedBodies);
  const stalled: RawConnection[] = [];
  const begin = async (Authorization: string, type: string, length: number) => {
    const connection = await RawConnection.open(url);
    const headers = [`Authorization: ${Authorization}`, `Content-Type: ${type}`, `Content-Length: ${length}`];
    await connection.send(rawRequest({ target: "/v1/plants", headers, body: "{" }));
    stalled.push(connection);
  };
  const { reserved } = unfinishedBodies;
  // Two accounts with single plants, one with imports, and the rest in small pieces.
  for (const [bytes, type, count] of [
    [MIB, "application/json", 32],
    [MIB, "application/json", 32],
    [4 * MIB, "application/x-ndjson", 4],
    [MIB, "application/json", 8],
    [MIB, "application/json", 4],
    [MIB, "application/json", 2],
    [MIB, "application/json", 1],
    [MIB, "application/json", 1],
  ] as const) {
    const token = await account();
    const before = reserved.total;
    for (const _ of numbers(count)) await begin(token, type, bytes);
    await eventually("they are awaited", () => reserved.total === before + count * bytes);
  }
  const large = (id: number) => `{"id":${id},"name":"${"x".repeat(900_000)}"}`;
  expect(await create(await account(), large(1))).toBe(200);
  expect(await stalled[0]?.answer()).toMatchObject(PLACE_NEEDED);
  expect(stalled.filter(({ ended }) => ended)).toHaveLength(1);
  for (const connection of stalled) connection.close();
  await eventually("none is awaited", () => reserved.total === 0);
  await close();
}, 30_000);
