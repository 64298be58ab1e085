import { expect, test } from "bun:test";
import { promptly } from "#test/support/eventually.ts";
import type { CountedAs } from "./counted-as.ts";
import { FairQueue } from "./fair-queue.ts";

const LIMITS = { name: "tasks", all: 2, each: 1, waitingEach: 3, waiting: 5 };

/** Tasks that end when they are told to, and the order in which they began. */
function tasks(queue: FairQueue) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (subject: CountedAs, name: string) =>
    queue.run(subject, () => {
      began.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await Bun.sleep(0);
  };
  return { began, run, end };
}

test("an account with many tasks runs no more at once than its share, and does not keep the others waiting", async () => {
  const { began, run, end } = tasks(new FairQueue(LIMITS));
  for (const name of ["a1", "a2", "a3", "a4"]) void run(1, name);
  void run(2, "b1");
  await Bun.sleep(0);
  // One lane was free when the second task came.
  expect(began).toEqual(["a1", "b1"]);
  void run(2, "b2");
  void run(3, "c1");
  await end("a1");
  await end("b1");
  await end(began[2] ?? "");
  await end(began[3] ?? "");
  expect(began.slice(0, 5).sort()).toEqual(["a1", "a2", "b1", "b2", "c1"]);
});

test("accounts whose tasks never end leave room for the next one", async () => {
  const { began, run } = tasks(new FairQueue({ ...LIMITS, all: 16, each: 6, waitingEach: 9 }));
  const underWay = (account: number) => began.filter((name) => name === `of ${account}`).length;
  for (const account of [1, 2, 3, 4, 5])
    for (let count = 0; count < 6; count++) run(account, `of ${account}`).catch(() => {});
  await Bun.sleep(0);
  expect([1, 2, 3, 4, 5].map(underWay)).toEqual([6, 5, 3, 1, 1]);
});

test("past the account's bound a task is refused as too many, past everybody's as unavailable", async () => {
  const queue = new FairQueue(LIMITS);
  const { run } = tasks(queue);
  for (const name of ["a1", "a2", "a3", "a4"]) void run(1, name);
  await expect(promptly("a5 is refused", run(1, "a5"))).rejects.toMatchObject({ code: "rate-limited" });
  for (const name of ["b1", "b2"]) void run(2, name);
  // One place is free, which is left to the next.
  await expect(promptly("b3 is refused", run(2, "b3"))).rejects.toMatchObject({ code: "rate-limited" });
  void run(3, "c1");
  expect(queue.waiting).toBe(5);
  await expect(promptly("d1 is refused", run(4, "d1"))).rejects.toMatchObject({ code: "unavailable" });
});

test("a task that fails gives its turn on", async () => {
  const queue = new FairQueue({ ...LIMITS, all: 1 });
  const failing = queue.run(1, async () => {
    throw new Error("no");
  });
  const next = queue.run(2, async () => "done");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("done");
});

test("a task that was admitted elsewhere waits, however many do", async () => {
  const queue = new FairQueue(LIMITS);
  const { run, end } = tasks(queue);
  for (const name of ["a1", "a2", "a3", "a4"]) void run(1, name);
  const admitted = queue.run(1, async () => "done", { admitted: true });
  for (const name of ["a1", "a2", "a3", "a4"]) await end(name);
  expect(await admitted).toBe("done");
});

test("a task whose turn does not come in time is refused and never begins, and those after it have their turn", async () => {
  const queue = new FairQueue({ ...LIMITS, all: 1 });
  const { began, run, end } = tasks(queue);
  void run(1, "a1");
  const late = queue.run(2, async () => began.push("late"), { waitMsMax: 20 });
  const inTime = queue.run(2, async () => "done", { waitMsMax: 60_000 });
  await expect(late).rejects.toMatchObject({ code: "unavailable" });
  await end("a1");
  expect(await inTime).toBe("done");
  expect([began, queue.waiting, queue.running]).toEqual([["a1"], 0, 0]);
});

test("a task that can run on one lane alone waits for that one, and keeps no other waiting", async () => {
  const queue = new FairQueue({ ...LIMITS, each: 2 });
  let end = () => {};
  const first = queue.run(1, (lane) => new Promise<number>((resolve) => (end = () => resolve(lane))));
  const pinned = queue.run(2, async (lane) => lane, { lane: 0 });
  expect(await queue.run(3, async (lane) => lane)).toBe(1);
  end();
  expect([await first, await pinned]).toEqual([0, 0]);
});

test("the people of a store and its tokens have turns in its turns, and nobody has all the places in which they wait", async () => {
  const queue = new FairQueue({ ...LIMITS, waitingEach: 8, waiting: 20 });
  const { began, run, end } = tasks(queue);
  const [ada, ben] = [
    { account: 1, person: "ada" },
    { account: 1, person: "ben" },
  ];
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) void run(ada, name);
  await expect(promptly("a6 is refused", run(ada, "a6"))).rejects.toMatchObject({
    code: "rate-limited",
    message: "This person has 4 tasks under way; wait for one to end",
  });
  void run(ben, "b1");
  void run(1, "token");
  for (let count = 0; count < 6; count++) await end(began.at(-1) ?? "");
  expect(began).toEqual(["a1", "a2", "b1", "token", "a3", "a4", "a5"]);
});
