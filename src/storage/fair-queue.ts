import { tooManyAtOnce, unavailable } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { ReadingPace } from "./reading-pace.ts";

export interface FairQueueLimits {
  /** In the plural, as in "searches". */
  readonly name: string;
  readonly atOnceMax: number;
  readonly atOnceByAccountMax: number;
  readonly waitingByAccountMax: number;
  readonly waitingMax: number;
}

const OF_AN_ACCOUNT = { atOnceByAccountMax: 1, waitingByAccountMax: 128 };

/** The limits of searches, of which an engine runs some at once. */
export function searchLimits(atOnceMax: number): FairQueueLimits {
  return { ...OF_AN_ACCOUNT, name: "searches", atOnceMax, waitingMax: 512 };
}

/**
 * The limits of pages of exports. One page is read at a time: otherwise many exports would leave the creates too little
 * processor time. Every export waits for at most two pages: the one that it sends next, and the one after it.
 */
export const EXPORT_PAGE_LIMITS: FairQueueLimits = {
  ...OF_AN_ACCOUNT,
  name: "pages of exports",
  atOnceMax: 1,
  waitingMax: 4096,
};

interface AccountTasks {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Runs a bounded number of tasks at once, and few of any one account: at most as many as are still free (Choudhury and
 * Hahne, "Dynamic queue length thresholds", 1998), so that accounts with tasks that never end leave room for the next
 * one. Accounts with waiting tasks are served in turn, so an account with many tasks delays only itself. With a pace, the slot of a finished task stays empty for the pause
 * that follows it; the task's own answer does not wait for that.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #pace: ReadingPace | undefined;
  /** The accounts in the order in which they are served next. */
  readonly #accounts = new Map<AccountNumber, AccountTasks>();
  #running = 0;
  #waiting = 0;

  constructor(limits: FairQueueLimits, pace?: ReadingPace) {
    this.#limits = limits;
    this.#pace = pace;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Rejects with "rate-limited" if too many of the account's tasks are waiting, with "unavailable" if too many overall
   * are.
   */
  async run<T>(account: AccountNumber, task: () => Promise<T>): Promise<T> {
    const tasks = this.#tasksOf(account);
    if (this.#mayRun(tasks)) this.#begin(tasks);
    else await this.#turn(tasks);
    const restMs = this.#pace?.begin();
    try {
      return await task();
    } finally {
      const ms = restMs?.() ?? 0;
      if (ms > 0) setTimeout(() => this.#end(account, tasks), ms);
      else this.#end(account, tasks);
    }
  }

  #tasksOf(account: AccountNumber): AccountTasks {
    const known = this.#accounts.get(account);
    if (known) return known;
    const tasks: AccountTasks = { running: 0, waiting: [] };
    this.#accounts.set(account, tasks);
    return tasks;
  }

  #mayRun({ running }: AccountTasks): boolean {
    const { atOnceMax, atOnceByAccountMax } = this.#limits;
    return running < Math.min(atOnceByAccountMax, atOnceMax - this.#running);
  }

  #begin(tasks: AccountTasks): void {
    this.#running++;
    tasks.running++;
  }

  #turn({ waiting }: AccountTasks): Promise<void> {
    const { name, atOnceByAccountMax, waitingByAccountMax, waitingMax } = this.#limits;
    if (waiting.length >= waitingByAccountMax) throw tooManyAtOnce(name, atOnceByAccountMax + waitingByAccountMax, 1);
    if (this.#waiting >= waitingMax) throw unavailable(`The service is overloaded with ${name}. Try again.`);
    this.#waiting++;
    return new Promise((resolve) => waiting.push(resolve));
  }

  #end(account: AccountNumber, tasks: AccountTasks): void {
    this.#running--;
    tasks.running--;
    if (tasks.running === 0 && tasks.waiting.length === 0) this.#accounts.delete(account);
    while (this.#waiting > 0 && this.#serveNext());
  }

  /** Returns false if no waiting task may begin. */
  #serveNext(): boolean {
    for (const [account, tasks] of this.#accounts) {
      if (tasks.waiting.length === 0 || !this.#mayRun(tasks)) continue;
      this.#waiting--;
      this.#begin(tasks);
      tasks.waiting.shift()?.();
      this.#accounts.delete(account);
      this.#accounts.set(account, tasks);
      return true;
    }
    return false;
  }
}
