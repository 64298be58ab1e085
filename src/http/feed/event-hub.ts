import type { EventRecords } from "#core/event.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";

/** The interval of the queries for accounts with new events under a steady load of writes. */
const LOOKS_APART_MS = 25;
/** Heartbeats are spread over this many groups of followers, so that not all are due at once: one group in 333 ms. */
const BEAT_GROUPS = 45;

/** A reader of the feed that waits for more events. */
export interface Follower {
  readonly account: AccountNumber;
  /** There may be events up to this number. */
  wake(until: bigint): void;
  /** Called every 15 seconds. */
  beat?(): void;
  /** Called at the heartbeats of all other groups, three times a second, for a reader whose permission may end. */
  check?(): void;
  /** Takes a test event; only streams do. */
  giveTest?(body: string): void;
  /** Called when the service stops. */
  close(): void;
}

/** The watch over the feed while somebody follows, who was told of every event up to `told`. */
interface Watch {
  state: "waiting" | "looking";
  told: bigint;
  until: bigint;
  readonly beats: Timer;
  readonly stopListening: () => void;
}

/**
 * Wakes the followers of the feed. One query finds the accounts with new events, so a write costs the same however many
 * follow other accounts.
 *
 * Without a watch nobody follows, and nothing is done. The first follower begins one, in `waiting`, and the last ends it.
 * `waiting`: followers were told of all that was committed. A commit leads to `looking`.
 * `looking`: a query asks which of their accounts have new events; again after a pause, until nothing was committed in it.
 */
export class EventHub {
  /** The followers of each account, with the group of their heartbeat. */
  readonly #followers = new Map<AccountNumber, Map<Follower, number>>();
  #watch: Watch | undefined;
  #group = 0;
  closed = false;

  constructor(
    private readonly events: Pick<EventRecords, "listen" | "accountsWithEvents">,
    private readonly observer: Observer,
    private readonly beatEveryMs = 15_000,
  ) {}

  /** The follower is told of new events from now on. It has to read the earlier ones itself, after this call. */
  follow(follower: Follower): void {
    const ofAccount = this.#followers.get(follower.account) ?? new Map();
    this.#followers.set(follower.account, ofAccount.set(follower, this.#group));
    this.#watch ??= {
      state: "waiting",
      told: -1n,
      until: -1n,
      beats: setInterval(() => this.#beat(), this.beatEveryMs / BEAT_GROUPS),
      stopListening: this.events.listen((until) => this.#committed(until)),
    };
  }

  unfollow(follower: Follower): void {
    const ofAccount = this.#followers.get(follower.account);
    ofAccount?.delete(follower);
    if (ofAccount?.size === 0) this.#followers.delete(follower.account);
    if (this.#followers.size > 0) return;
    clearInterval(this.#watch?.beats);
    this.#watch?.stopListening();
    this.#watch = undefined;
  }

  /** Hands a test event to the account's streams; gives how many there are. */
  sendTest(account: AccountNumber, body: string): number {
    const streams = [...(this.#followers.get(account)?.keys() ?? [])].filter(({ giveTest }) => giveTest);
    for (const stream of streams) stream.giveTest?.(body);
    return streams.length;
  }

  /** Ends every wait, and refuses new ones. */
  close(): void {
    this.closed = true;
    for (const ofAccount of [...this.#followers.values()])
      for (const follower of [...ofAccount.keys()]) follower.close();
  }

  #committed(until: bigint): void {
    const watch = this.#watch;
    if (!watch || until <= watch.until) return;
    watch.until = until;
    if (watch.state === "waiting") void this.#look(watch);
  }

  async #look(watch: Watch): Promise<void> {
    watch.state = "looking";
    while (watch === this.#watch && watch.told < watch.until) {
      const { told, until } = watch;
      let pauseMs = LOOKS_APART_MS;
      try {
        const accounts = await this.events.accountsWithEvents([...this.#followers.keys()], told, until);
        watch.told = until;
        for (const account of accounts) this.#tell(account, until);
      } catch (error) {
        this.observer.failed("event-feed", error);
        // The database may be out of reach for longer.
        pauseMs = 1000;
      }
      await Bun.sleep(pauseMs);
    }
    watch.state = "waiting";
  }

  #tell(account: AccountNumber, until: bigint): void {
    for (const follower of this.#followers.get(account)?.keys() ?? []) follower.wake(until);
  }

  #beat(): void {
    this.#group = (this.#group + 1) % BEAT_GROUPS;
    for (const ofAccount of this.#followers.values()) {
      for (const [follower, group] of ofAccount) {
        if (group === this.#group) follower.beat?.();
        else follower.check?.();
      }
    }
  }
}
