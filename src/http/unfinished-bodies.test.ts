import { expect, test } from "bun:test";
import { refusal } from "#test/support/refusal.ts";
import { type AwaitedBody, SILENCE_MS_MAX, UnfinishedBodies } from "./unfinished-bodies.ts";

const MIB = 1024 * 1024;

test("unfinished bodies are bounded, of an account and of all, and what arrived makes room", () => {
  const bodies = new UnfinishedBodies();
  const outcome = (account: number) => refusal(() => bodies.reserved.take(account, MIB))[0];
  const releases = Array.from({ length: 32 }, () => bodies.reserved.take(1, MIB));
  expect(outcome(1)).toBe("rate-limited");
  expect(outcome(2)).toBe("taken");
  releases[0]?.();
  expect(outcome(1)).toBe("taken");
  const others = Array.from({ length: 64 }, (_, other) => outcome(3 + other));
  expect([others.indexOf("unavailable"), others.at(-1)]).toEqual([63, "unavailable"]);
});

test("a body that stalls is refused, one that arrived or came later is not", () => {
  const bodies = new UnfinishedBodies();
  const refused: string[] = [];
  const waiting = (name: string, startedAt: number): AwaitedBody => {
    const body: AwaitedBody = {
      startedAt,
      refuse: () => void refused.push(name),
      previous: undefined,
      next: undefined,
    };
    bodies.wait(body);
    return body;
  };
  const stalled = waiting("stalled", 0);
  const arrived = waiting("arrived", 10);
  const later = waiting("later", 20);
  bodies.arrived(arrived);
  bodies.refuseStalled(stalled.startedAt + SILENCE_MS_MAX - 1);
  expect(refused).toEqual([]);
  bodies.refuseStalled(stalled.startedAt + SILENCE_MS_MAX);
  bodies.refuseStalled(later.startedAt + SILENCE_MS_MAX - 1);
  expect(refused).toEqual(["stalled"]);
});

test("bodies that arrive in any order leave none behind, and all that stay are refused", () => {
  const bodies = new UnfinishedBodies();
  const refused: number[] = [];
  const entries = Array.from({ length: 7 }, (_, startedAt): AwaitedBody => {
    return { startedAt, refuse: () => void refused.push(startedAt), previous: undefined, next: undefined };
  });
  for (const entry of entries) bodies.wait(entry);
  for (const index of [3, 0, 6, 3]) bodies.arrived(entries[index] as AwaitedBody);
  bodies.refuseStalled(SILENCE_MS_MAX + 7);
  expect(refused).toEqual([1, 2, 4, 5]);
  bodies.wait(entries[0] as AwaitedBody);
  bodies.refuseStalled(SILENCE_MS_MAX + 7);
  expect(refused).toEqual([1, 2, 4, 5, 0]);
});
