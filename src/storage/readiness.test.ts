import { expect, test } from "bun:test";
import { Readiness } from "./readiness.ts";

const FULL = new Error("no room");

function readinessWith(trial: { write?: () => Promise<unknown>; room?: () => Promise<unknown> }) {
  const told: boolean[] = [];
  const usual = {
    write: async () => undefined,
    room: async () => undefined,
    isFull: (error: unknown) => error === FULL,
  };
  const full: (string | undefined)[] = [];
  const observer = {
    storageWritable: (is: boolean) => void told.push(is),
    diskFull: (reason: string | undefined) => void full.push(reason),
  };
  return { told, full, readiness: new Readiness(observer, { ...usual, ...trial }) };
}

test("after a write that was refused for want of room, the smallest write is not enough until there is room", async () => {
  let hasRoom = false;
  const { told, full, readiness } = readinessWith({ room: async () => void (hasRoom || (await Promise.reject(FULL))) });
  await readiness.try();
  readiness.refused(FULL);
  // Another reason does not make the disk less full.
  readiness.refused(new Error("a lock is held"));
  await expect(readiness.try()).rejects.toBe(FULL);
  hasRoom = true;
  await readiness.try();
  hasRoom = false;
  await readiness.try();
  expect(told).toEqual([true, false, false, false, true, true]);
  // Its begin and its end, once each.
  expect(full).toEqual(["no room", undefined]);
});

test("a trial that a write's refusal overtakes shows nothing, and who asks meanwhile shares it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let writes = 0;
  const { told, readiness } = readinessWith({
    write() {
      writes++;
      return promise;
    },
  });
  const asked = [readiness.try(), readiness.try()];
  readiness.refused(new Error("a lock is held"));
  resolve();
  for (const each of asked) await expect(each).rejects.toMatchObject({ code: "unavailable" });
  expect([writes, told]).toEqual([1, [false]]);
  await readiness.try();
  expect([writes, told]).toEqual([2, [false, true]]);
});
