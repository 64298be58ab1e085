import { describe, expect, test } from "bun:test";
import { ENGINES } from "./support/engines.ts";
import { runHistories } from "./support/histories.ts";
import { Mirror, type MirroredEvent } from "./support/mirror.ts";
import { isLinearizable, type Operation } from "./support/register.ts";

describe.each(ENGINES)("on %s, while services are killed, paused and cut off", (engine) => {
  test("each plant's answers are those of a single plant, and the feed tells what became of it", async () => {
    const { counts, problems } = await runHistories({ engine, seconds: 2.5, seed: 1, nodes: 2 });
    expect(problems).toEqual([]);
    for (const tried of [
      "create: created",
      "change: changed",
      "put: created",
      "put: changed",
      "update: created",
      "update: changed",
      "remove: removed",
      "drop: removed",
      "read: read",
    ]) {
      expect([tried, counts.get(tried) ?? 0]).not.toEqual([tried, 0]);
    }
  });
});

/** An operation from the one time to the other: `create a -> created`; `-> ?` if no answer was seen. */
function operation(calledAt: number, answeredAt: number, text: string): Operation {
  const [call = "", answer] = text.split(" -> ");
  const [kind, name] = call.split(" ") as [Operation["kind"], string?];
  return { kind, name, calledAt, answeredAt, answer: answer === "?" ? undefined : answer };
}

describe("a history", () => {
  const CREATED = operation(0, 1, "create a -> created");

  test.each<[string, Operation[]]>([
    [
      "that never was more than one at a time",
      [CREATED, operation(2, 3, "change b -> changed"), operation(4, 5, "read -> read b")],
    ],
    [
      "whose operations overlap and can be put in order",
      [
        operation(0, 9, "read -> absent"),
        operation(1, 3, "create a -> created"),
        operation(2, 8, "remove -> removed"),
        operation(4, 7, "create b -> taken"),
      ],
    ],
    [
      "with a write without an answer that took effect late",
      [CREATED, operation(2, 3, "change b -> ?"), operation(4, 5, "read -> read a"), operation(6, 7, "read -> read b")],
    ],
    [
      "with a write without an answer that never took effect",
      [operation(0, 1, "create a -> ?"), operation(2, 3, "read -> absent")],
    ],
    [
      "with a create that was repeated, as no answer was seen",
      [
        operation(0, 1, "create a -> ?"),
        operation(2, 3, "create a -> unchanged"),
        operation(4, 5, "create b -> taken"),
      ],
    ],
  ])("%s is that of a single plant", (_, history) => expect(isLinearizable(history)).toBeTrue());

  test.each<[string, Operation[]]>([
    [
      "that reads what was changed before the read began",
      [CREATED, operation(2, 3, "change b -> changed"), operation(4, 5, "read -> read a")],
    ],
    ["that creates twice", [CREATED, operation(0, 1, "create b -> created")]],
    ["that reads what nobody wrote", [CREATED, operation(2, 3, "read -> read b")]],
    ["that loses an acknowledged create", [CREATED, operation(2, 3, "read -> absent")]],
    ["that reads a removed plant", [CREATED, operation(2, 3, "remove -> removed"), operation(4, 5, "read -> read a")]],
    [
      "whose two readers see two changes in opposite orders",
      [
        CREATED,
        operation(2, 9, "change b -> changed"),
        operation(2, 9, "change c -> changed"),
        operation(3, 4, "read -> read b"),
        operation(5, 6, "read -> read c"),
        operation(7, 8, "read -> read b"),
      ],
    ],
    [
      "whose write without an answer is read, and then is not",
      [CREATED, operation(2, 3, "change b -> ?"), operation(4, 5, "read -> read b"), operation(6, 7, "read -> read a")],
    ],
    [
      "whose write without an answer is read before it was sent",
      [CREATED, operation(2, 3, "read -> read b"), operation(4, 5, "change b -> ?")],
    ],
  ])("%s is that of no single plant", (_, history) => expect(isLinearizable(history)).toBeFalse());
});

test("a mirror says which events do not follow those before them", () => {
  let number = 0;
  const event = (type: string, name: string, before?: string): MirroredEvent => ({
    id: `evt_${++number}`,
    type: `plant.${type}`,
    data: { plant_id: "1", plant: { name }, ...(before !== undefined && { previous: { name: before } }) },
  });
  const problemsOf = (...events: MirroredEvent[]) => {
    const mirror = new Mirror();
    for (const each of events) mirror.follow(each);
    return mirror.problems.length;
  };
  const [created, changed] = [event("created", "a"), event("changed", "b", "a")];
  const [removed, again] = [event("removed", "b"), event("created", "c")];
  expect(problemsOf(created, changed, removed, again)).toBe(0);
  expect(problemsOf(created, changed, again, removed)).toBeGreaterThan(0);
  expect(problemsOf(created, removed)).toBe(1);
  expect(problemsOf(created, changed, changed)).toBeGreaterThan(0);
  expect(problemsOf(changed)).toBe(1);
});
