import { expect, test } from "bun:test";
import { refusal } from "#test/support/refusal.ts";
import { Slots } from "./slots.ts";

test("an account has as many as its limit allows, whatever others have, and the next is told so", () => {
  const slots = new Slots({ name: "exports", all: 100, each: 2 });
  slots.acquire(1);
  slots.acquire(1);
  slots.acquire(2);
  const message = "This account has 2 exports under way; wait for one to end";
  const headers = expect.objectContaining({ "Retry-After": "5", RateLimit: '"exports";r=0;t=5' });
  const refused = { code: "rate-limited", message, detail: expect.objectContaining({ headers }) };
  expect(() => slots.acquire(1)).toThrow(expect.objectContaining(refused));
  expect(slots.total).toBe(3);
});

test("a slot that ends makes room for one, however often its end is told", () => {
  const slots = new Slots({ name: "exports", all: 100, each: 2 });
  const end = slots.acquire(1);
  slots.acquire(1);
  for (let time = 0; time < 3; time++) end();
  expect(slots.total).toBe(1);
  slots.acquire(1);
  expect(refusal(() => slots.acquire(1))[0]).toBe("rate-limited");
});

test("a node that is full is unavailable to an account that has none yet, and takes it when one has ended", () => {
  const slots = new Slots({ name: "streams", all: 2, each: 2 });
  const end = slots.acquire(1);
  slots.acquire(2);
  expect(refusal(() => slots.acquire(3))[0]).toBe("unavailable");
  expect(slots.total).toBe(2);
  end();
  slots.acquire(3);
  expect(slots.total).toBe(2);
});

test("strangers of however many networks leave the last half to accounts", () => {
  const slots = new Slots({ name: "large bodies", all: 8, each: 4 });
  const outcomes = Array.from({ length: 6 }, (_, number) => refusal(() => slots.acquire(`192.0.2.${number}`))[0]);
  expect(outcomes).toEqual(["taken", "taken", "taken", "taken", "unavailable", "unavailable"]);
  expect(refusal(() => slots.acquire("192.0.2.1"))).toEqual([
    "rate-limited",
    "This network has 4 large bodies under way; wait for one to end",
  ]);
  for (const account of [1, 1, 2]) slots.acquire(account);
  expect(slots.total).toBe(7);
});

test("a person takes at most half of what their store may have, by however many pages; its tokens take the rest", () => {
  const slots = new Slots({ name: "exports", all: 100, each: 8 });
  const [ada, ben] = [
    { account: 1, person: "ada" },
    { account: 1, person: "ben" },
  ];
  const ends = Array.from({ length: 4 }, () => slots.acquire({ ...ada }));
  expect(refusal(() => slots.acquire(ada))).toEqual([
    "rate-limited",
    "This person has 4 exports under way; wait for one to end",
  ]);
  slots.acquire({ ...ada, account: 2 });
  slots.acquire(ben);
  for (let count = 0; count < 3; count++) slots.acquire(1);
  expect(refusal(() => slots.acquire(ben))).toEqual([
    "rate-limited",
    "This account has 8 exports under way; wait for one to end",
  ]);
  for (const end of ends) end();
  expect(slots.total).toBe(5);
  slots.acquire(ada);
});

test("one thing that is larger than half of what a store may have is a person's, if they have no other", () => {
  const slots = new Slots({ name: "large answers", all: 100, each: 8 });
  slots.acquire({ account: 1, person: "ada" }, 6);
  expect(refusal(() => slots.acquire({ account: 1, person: "ada" }))[0]).toBe("rate-limited");
  slots.acquire({ account: 1, person: "ben" }, 2);
});

test("clients who had left before they were counted, and so have no address, take nothing of an account", () => {
  const slots = new Slots({ name: "large answers", all: 100, each: 8 });
  for (let count = 0; count < 4; count++) slots.acquire("");
  for (let count = 0; count < 8; count++) slots.acquire(1);
  expect(slots.total).toBe(12);
});

/** Each account takes one after the other until it gets no more. Returns the accounts whose things were told to end. */
function filled(slots: Slots, accounts: number, endsAtOnce: boolean) {
  const told: number[] = [];
  const ends: (() => void)[] = [];
  for (let account = 1; account <= accounts; account++) {
    const takes = () => {
      const end = slots.acquire(account, 1, () => {
        told.push(account);
        if (endsAtOnce) end();
      });
      ends.push(end);
    };
    while (refusal(takes)[0] === "taken");
  }
  return { told, ends };
}

test("who has nothing finds room however many hold on to what they have: the oldest of who has most ends", () => {
  const slots = new Slots({ name: "large bodies", all: 96, each: 32 });
  const { told } = filled(slots, 12, true);
  expect(slots.total).toBe(96);
  expect(refusal(() => slots.acquire(1))[0]).toBe("rate-limited");
  const before = told.length;
  slots.acquire(13, 2);
  slots.acquire(14);
  expect(told.slice(before)).toEqual([1, 2, 1]);
  expect(slots.total).toBe(96);
});

test("what takes a moment to end is told once, and counts until then", () => {
  const slots = new Slots({ name: "large answers", all: 8, each: 4 });
  const { told, ends } = filled(slots, 4, false);
  expect([slots.total, told]).toEqual([8, []]);
  for (let time = 0; time < 3; time++) expect(refusal(() => slots.acquire(5))[0]).toBe("unavailable");
  expect(told).toEqual([1]);
  ends[0]?.();
  expect(refusal(() => slots.acquire(1))[0]).toBe("rate-limited");
  slots.acquire(5);
  expect([slots.total, told]).toEqual([8, [1]]);
});

test("nobody ends for one who would then have as much as they, nor an account for a stranger", () => {
  const slots = new Slots({ name: "exports", all: 4, each: 4 });
  const told: (number | string)[] = [];
  const acquire = (subject: number | string, count = 1) => slots.acquire(subject, count, () => told.push(subject));
  for (const account of [1, 2, 3]) acquire(account);
  expect(refusal(() => acquire("192.0.2.1"))[0]).toBe("unavailable");
  acquire(4);
  expect(refusal(() => acquire(5))[0]).toBe("unavailable");
  expect(told).toEqual([]);
});
