import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { NO_OBSERVER } from "#core/observer.ts";
import { eventually } from "#test/support/eventually.ts";
import { EventHub, type Follower } from "./event-hub.ts";
import { EventWait } from "./event-wait.ts";

/** A feed in the test's hand: which accounts have something new, and who listens. */
class Feed {
  readonly new = new Set<number>();
  looks: readonly (readonly number[])[] = [];
  wake: ((until: bigint) => void) | undefined;
  broken = false;

  listen(wake: (until: bigint) => void): () => void {
    this.wake = wake;
    return () => {
      this.wake = undefined;
    };
  }

  async accountsWithEvents(accounts: readonly number[]): Promise<number[]> {
    this.looks = [...this.looks, accounts];
    if (this.broken) throw new Error("no database");
    return accounts.filter((account) => this.new.has(account));
  }
}

class Reader implements Follower {
  readonly woken: bigint[] = [];
  beats = 0;
  closed = false;
  constructor(readonly account: number) {}
  wake(until: bigint): void {
    this.woken.push(until);
  }
  beat(): void {
    this.beats++;
  }
  close(): void {
    this.closed = true;
  }
}

describe("the hub of those that follow the feed", () => {
  let feed: Feed;
  let hub: EventHub;
  let failures: number;
  const readers: Reader[] = [];
  const follow = (account: number) => {
    const reader = new Reader(account);
    readers.push(reader);
    hub.follow(reader);
    return reader;
  };
  beforeEach(() => {
    feed = new Feed();
    failures = 0;
    hub = new EventHub(feed, { ...NO_OBSERVER, failed: () => void failures++ }, 150);
  });
  afterEach(() => {
    jest.useRealTimers();
    for (const reader of readers.splice(0)) hub.unfollow(reader);
  });

  test("wakes the accounts that have something new, with one look for all of them", async () => {
    const [one, same, other] = [follow(1), follow(1), follow(2)];
    feed.new.add(1);
    feed.wake?.(5n);
    await eventually("both are woken", () => one.woken.length === 1 && same.woken.length === 1);
    expect([one.woken, same.woken, other.woken]).toEqual([[5n], [5n], []]);
    expect(feed.looks).toEqual([[1, 2]]);
  });

  test("listens only while somebody follows", () => {
    const one = follow(1);
    const two = follow(1);
    hub.unfollow(one);
    expect(feed.wake).toBeDefined();
    hub.unfollow(two);
    expect(feed.wake).toBeUndefined();
    follow(1);
    expect(feed.wake).toBeDefined();
  });

  test("looks again a second after a look that failed, and tells then", async () => {
    const reader = follow(1);
    feed.new.add(1);
    feed.broken = true;
    feed.wake?.(5n);
    await eventually("the look has failed", () => failures > 0);
    const failedAt = performance.now();
    expect(reader.woken).toEqual([]);
    feed.broken = false;
    await eventually("the reader is woken", () => reader.woken.length === 1);
    expect(performance.now() - failedAt).toBeGreaterThan(800);
  });

  test("gives each a beat as often as it says, also those that came later", () => {
    jest.useFakeTimers();
    const early = follow(1);
    jest.advanceTimersByTime(80);
    const late = follow(2);
    jest.advanceTimersByTime(450);
    expect([early.beats, late.beats]).toEqual([3, 3]);
  });

  test("tells everybody that it closes, and answers a wait at once from then on", async () => {
    const reader = follow(1);
    const wait = new EventWait(hub, 1);
    const waiting = wait.next(0n, 60_000);
    hub.close();
    expect([reader.closed, await waiting, await wait.next(0n, 60_000)]).toEqual([true, false, false]);
    wait.close();
  });
});

describe("a wait", () => {
  test("ends with true at what is newer than it knows, also if that came before it began", async () => {
    const hub = new EventHub(new Feed(), NO_OBSERVER);
    const wait = new EventWait(hub, 1);
    wait.wake(5n);
    expect(await wait.next(4n, 60_000)).toBe(true);
    const waiting = wait.next(5n, 60_000);
    wait.wake(5n);
    wait.wake(6n);
    expect(await waiting).toBe(true);
    expect(await wait.next(6n, 20)).toBe(false);
    wait.close();
  });
});
