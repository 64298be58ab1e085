import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import { type QueuedWrite, WRITE_SIZE_UNITS, WriteQueue } from "./write-queue.ts";

interface Named extends QueuedWrite {
  readonly name: number;
}

const refused: string[] = [];

function write(name: number, { size = WRITE_SIZE_UNITS, since = name, account = name } = {}): Named {
  return {
    name,
    account,
    size,
    rows: 1,
    since,
    span: undefined,
    reject: (error) => refused.push(error instanceof Failure ? error.message : String(error)),
  };
}

function filled(count: number): WriteQueue<Named> {
  const queue = new WriteQueue<Named>(NO_OBSERVER);
  for (let name = 1; name <= count; name++) queue.push(write(name));
  return queue;
}

const ALL = Number.POSITIVE_INFINITY;
const names = (writes: readonly Named[]) => writes.map(({ name }) => name);

test("the rows of the waiting writes are counted until those leave, and large ones never", () => {
  const queue = filled(3);
  queue.push({ ...write(4), isLarge: true });
  expect(queue.rows).toBe(3);
  queue.shift(({ isLarge, name }) => isLarge === true || name === 1);
  expect(queue.rows).toBe(2);
  queue.drop(queue.first(2, ALL));
  expect([queue.rows, queue.length]).toEqual([0, 0]);
});

test("a write that does not fit stays before those that come later, and others overtake it", () => {
  const queue = filled(4);
  expect(names(queue.shift(({ name }) => name !== 2))).toEqual([1, 3, 4]);
  queue.push(write(5));
  expect(names(queue.shift(() => true))).toEqual([2, 5]);
});

test("those that have waited for too long are taken, and no later one", () => {
  const queue = filled(4);
  expect(names(queue.takeOlder(2))).toEqual([1, 2]);
  expect(names(queue.takeOlder(2))).toEqual([]);
  expect(names(queue.takeOlder(9))).toEqual([3, 4]);
});

test("the queue is bounded by its length, and room is made by what leaves", () => {
  const queue = filled(16_384);
  refused.length = 0;
  expect(queue.push(write(0))).toBe(false);
  expect(refused).toEqual([expect.stringContaining("overloaded")]);
  queue.drop(queue.first(1, ALL));
  expect(queue.push(write(0))).toBe(true);
});

test("the queue is bounded by the size of its text too", () => {
  const MIB_UNITS = 1024 * 1024;
  const queue = new WriteQueue<Named>(NO_OBSERVER);
  let taken = 0;
  while (queue.push(write(taken, { size: MIB_UNITS }))) taken++;
  expect(taken).toBe(64);
  expect(names(queue.shift(({ name }) => name < 10))).toHaveLength(10);
  for (let more = 0; more < 10; more++) expect(queue.push(write(more, { size: MIB_UNITS }))).toBe(true);
  expect(queue.push(write(0, { size: 1 }))).toBe(false);
});

test.each([
  ["writes", WRITE_SIZE_UNITS],
  ["text", 1024 * 1024],
])("an account that fills three quarters of the queue with its %s leaves the rest to others", (_, size) => {
  const queue = new WriteQueue<Named>(NO_OBSERVER);
  let own = 0;
  while (queue.push(write(own, { size, account: -1 }))) own++;
  for (const account of [-2, -2, -3]) expect(queue.push(write(0, { size, account }))).toBe(true);
  expect(queue.push(write(0, { size, account: -1 }))).toBe(false);
  queue.drop(queue.first(own / 2, ALL));
  expect(queue.push(write(0, { size, account: -1 }))).toBe(true);
});
