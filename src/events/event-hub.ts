import type { EventStore } from "#core/event.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";

/** Under a steady load of writes the accounts that wait are looked for this often. */
const LOOKS_APART_MS = 25;

/** Why a wait ended. */
export type Woken =
  | { readonly kind: "events"; readonly until: bigint }
  | { readonly kind: "test"; readonly bodies: readonly string[] }
  | { readonly kind: "timeout" | "closed" };

/**
 * Wakes those that follow the feed. One look finds the accounts that have something new, so that a write costs the same
 * however many follow other accounts. Nothing is done while nobody follows.
 */
export class EventHub {
  readonly #events: EventStore;
  readonly #observer: Observer;
  readonly #followers = new Map<AccountNumber, Set<Follower>>();
  #stopListening: (() => void) | undefined;
  /** Followers were told of everything up to here. */
  #told = -1n;
  #until = -1n;
  #looking = false;
  #closed = false;

  constructor(events: EventStore, observer: Observer) {
    this.#events = events;
    this.#observer = observer;
  }

  get closed(): boolean {
    return this.#closed;
  }

  follow(account: AccountNumber): Follower {
    const follower = new Follower(this, () => this.#told, account);
    const those = this.#followers.get(account) ?? new Set();
    this.#followers.set(account, those.add(follower));
    this.#stopListening ??= this.#events.listen((until) => this.#wake(until));
    return follower;
  }

  unfollow(follower: Follower): void {
    const those = this.#followers.get(follower.account);
    those?.delete(follower);
    if (those?.size === 0) this.#followers.delete(follower.account);
    if (this.#followers.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#told = this.#until = -1n;
  }

  /** Hands a made-up event to the account's streams; gives how many there are. */
  sendTest(account: AccountNumber, body: string): number {
    const streams = [...(this.#followers.get(account) ?? [])].filter(({ takesTests }) => takesTests);
    for (const stream of streams) stream.giveTest(body);
    return streams.length;
  }

  /** Ends every wait, and lets none begin. */
  close(): void {
    this.#closed = true;
    for (const those of this.#followers.values()) for (const follower of those) follower.wake({ kind: "closed" });
  }

  #wake(until: bigint): void {
    if (until > this.#until) this.#until = until;
    if (!this.#looking) void this.#look();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    while (this.#told < this.#until && this.#followers.size > 0) {
      const until = this.#until;
      try {
        const accounts = await this.#events.touched([...this.#followers.keys()], this.#told, until);
        this.#told = until;
        for (const account of accounts) this.#tell(account, until);
      } catch (error) {
        this.#observer.failed("event-feed", error);
      }
      await Bun.sleep(LOOKS_APART_MS);
    }
    this.#looking = false;
  }

  #tell(account: AccountNumber, until: bigint): void {
    for (const follower of this.#followers.get(account) ?? []) follower.wake({ kind: "events", until });
  }
}

/** One reader of the feed that waits for more. */
export class Follower {
  readonly account: AccountNumber;
  /** True for a stream, which gives made-up events too. */
  takesTests = false;
  readonly #hub: EventHub;
  readonly #told: () => bigint;
  #tests: string[] = [];
  #resolve: ((woken: Woken) => void) | undefined;
  #after = 0n;

  constructor(hub: EventHub, told: () => bigint, account: AccountNumber) {
    this.#hub = hub;
    this.#told = told;
    this.account = account;
  }

  /** Resolves when there may be events after that number, when the time is over, or when the service stops. */
  async next(after: bigint, waitMsMax: number): Promise<Woken> {
    if (this.#hub.closed) return { kind: "closed" };
    if (this.#tests.length > 0) return this.#takeTests();
    const told = this.#told();
    if (told > after) return { kind: "events", until: told };
    this.#after = after;
    const woken = await new Promise<Woken>((resolve) => {
      const timer = setTimeout(() => this.wake({ kind: "timeout" }), waitMsMax);
      this.#resolve = (reason) => {
        clearTimeout(timer);
        resolve(reason);
      };
    });
    return woken.kind === "test" ? this.#takeTests() : woken;
  }

  wake(woken: Woken): void {
    if (woken.kind === "events" && woken.until <= this.#after) return;
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(woken);
  }

  giveTest(body: string): void {
    this.#tests.push(body);
    this.wake({ kind: "test", bodies: [] });
  }

  /** Must be called when nobody reads on. */
  end(): void {
    this.wake({ kind: "closed" });
    this.#hub.unfollow(this);
  }

  #takeTests(): Woken {
    const bodies = this.#tests;
    this.#tests = [];
    return { kind: "test", bodies };
  }
}
