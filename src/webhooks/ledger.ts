import type { EndpointProgress, LogEntry, Replay, Retry } from "#storage/webhook-outcomes.ts";

export type Outcomes = Pick<EndpointProgress, "log" | "attempted" | "retries" | "replayed" | "replays">;

/** The outcomes of one endpoint that are not on disk: those since they were last taken, and those that were taken then. */
export class Ledger {
  #open = newOutcomes();
  #taken = newOutcomes();

  get hasOpen(): boolean {
    return this.#open.log.length > 0 || this.#open.numbers.size > 0 || this.#open.replays.size > 0;
  }

  /** The retries on disk will be at most this many more. */
  get waiting(): number {
    return waitingOf(this.#open) + waitingOf(this.#taken);
  }

  /** True for an event whose row is not on disk as it will be. */
  has(number: bigint): boolean {
    return this.#open.numbers.has(number) || this.#taken.numbers.has(number);
  }

  /** An entry with the number of the one before takes its place. */
  log(entry: LogEntry): void {
    const { log } = this.#open;
    if (log.at(-1)?.sequence === entry.sequence) log.pop();
    log.push(entry);
  }

  /** The attempt at an event has ended whose row was `before`; it waits for another if there is an `after`. */
  end(before: Retry | undefined, after: Retry | undefined): void {
    if (before) this.#open.attempted.push(before);
    if (after) this.#open.retries.push(after);
    for (const retry of [before, after]) if (retry) this.#open.numbers.add(retry.number);
  }

  replay(retry: Retry): void {
    this.#open.replayed.set(retry.number, retry);
    this.#open.numbers.add(retry.number);
  }

  move(replay: Replay): void {
    this.#open.replays.set(replay.id, replay);
  }

  /** May be called once all that was taken before is on disk. */
  drain(): Outcomes {
    this.#taken = this.#open;
    this.#open = newOutcomes();
    const { replayed, replays, numbers: _, ...lists } = this.#taken;
    return { ...lists, replayed: [...replayed.values()], replays: [...replays.values()] };
  }

  /** Tells that all that was taken is on disk. Returns how many more rows there may be, or undefined if none has changed. */
  settle(): number | undefined {
    const taken = this.#taken;
    this.#taken = newOutcomes();
    return taken.numbers.size === 0 ? undefined : waitingOf(taken);
  }
}

function newOutcomes() {
  return {
    log: [] as LogEntry[],
    attempted: [] as Retry[],
    retries: [] as Retry[],
    replayed: new Map<bigint, Retry>(),
    replays: new Map<string, Replay>(),
    /** Numbers of all events whose rows change. */
    numbers: new Set<bigint>(),
  };
}

function waitingOf({ retries, replayed }: ReturnType<typeof newOutcomes>): number {
  return retries.length + replayed.size;
}
