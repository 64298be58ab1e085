import { storageUnavailable, tooManyAtOnce, unavailable } from "#core/failure.ts";
import type { SlotBounds } from "./slots.ts";
import { holderOf, type Subject } from "./subject.ts";

/** Each of the tasks that run at once runs in a lane of its own, numbered from 0. */
export interface QueueBounds extends SlotBounds {
  readonly waiting: number;
  readonly waitingEach: number;
}

export interface TaskOptions {
  /** The only lane on which the task may run; by default any. */
  readonly lane?: number | undefined;
  /** True for work whose number is bounded elsewhere, such as by slots: it waits however many others do. */
  readonly admitted?: boolean;
  /** A task that has waited that long is refused as "unavailable". */
  readonly waitMsMax?: number | undefined;
}

interface Waiting {
  begin(lane: number): void;
  /** The only lane on which the task can run, if there is one. */
  readonly lane: number | undefined;
}

interface SubjectTasks {
  running: number;
  readonly waiting: Waiting[];
}

/**
 * Runs a bounded number of tasks at once, and few for any one subject: at most as many as are still free (Choudhury and
 * Hahne, "Dynamic queue length thresholds", 1998), so that tasks that never end leave room for the next subject. Subjects
 * with waiting tasks are served in turn (Nagle, "On packet switches with infinite storage", RFC 970), so one with many
 * tasks delays only itself.
 */
export class FairQueue {
  running = 0;
  waiting = 0;
  /** In the order in which they are served next. */
  readonly #subjects = new Map<Subject, SubjectTasks>();
  readonly #busy: boolean[];

  constructor(private readonly bounds: QueueBounds) {
    this.#busy = new Array(bounds.all).fill(false);
  }

  /**
   * Throws "rate-limited" if too many tasks of the subject are waiting, "unavailable" if too many are overall: for work whose
   * body would first have to be read.
   */
  requireRoom(subject: Subject): void {
    const { name, each, waitingEach, waiting: waitingMax } = this.bounds;
    const { length = 0 } = this.#subjects.get(subject)?.waiting ?? [];
    if (length >= waitingEach) {
      throw tooManyAtOnce(name, each + waitingEach, { retryAfterS: 1, holder: holderOf(subject) });
    }
    if (this.waiting >= waitingMax) throw unavailable(`The service is overloaded with ${name}. Try again.`);
  }

  /** Runs the task when it is the subject's turn. Rejects as `requireRoom` throws. */
  async run<T>(
    subject: Subject,
    task: (lane: number) => Promise<T>,
    { lane, admitted = false, waitMsMax }: TaskOptions = {},
  ): Promise<T> {
    const known = this.#subjects.get(subject);
    const free = this.#laneFor(known?.running ?? 0, lane);
    if (free === undefined && !admitted) this.requireRoom(subject);
    const tasks = known ?? { running: 0, waiting: [] };
    if (!known) this.#subjects.set(subject, tasks);
    const taken = free === undefined ? await this.#turn(subject, tasks, lane, waitMsMax) : this.#take(tasks, free);
    try {
      return await task(taken);
    } finally {
      this.#end(subject, tasks, taken);
    }
  }

  #laneFor(running: number, lane: number | undefined): number | undefined {
    const { all, each } = this.bounds;
    if (running >= Math.min(each, all - this.running)) return undefined;
    const free = lane ?? this.#busy.indexOf(false);
    return this.#busy[free] ? undefined : free;
  }

  #take(tasks: SubjectTasks, lane: number): number {
    this.#busy[lane] = true;
    this.running++;
    tasks.running++;
    return lane;
  }

  #turn(subject: Subject, tasks: SubjectTasks, lane: number | undefined, msMax: number | undefined): Promise<number> {
    this.waiting++;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { begin: resolve, lane };
      tasks.waiting.push(waiting);
      if (msMax === undefined) return;
      const timer = setTimeout(() => {
        this.waiting--;
        tasks.waiting.splice(tasks.waiting.indexOf(waiting), 1);
        this.#forgetIdle(subject, tasks);
        reject(storageUnavailable());
      }, msMax);
      waiting.begin = (free) => {
        clearTimeout(timer);
        resolve(free);
      };
    });
  }

  #end(subject: Subject, tasks: SubjectTasks, lane: number): void {
    this.#busy[lane] = false;
    this.running--;
    tasks.running--;
    this.#forgetIdle(subject, tasks);
    while (this.waiting > 0 && this.#serveNext());
  }

  #forgetIdle(subject: Subject, { running, waiting }: SubjectTasks): void {
    if (running === 0 && waiting.length === 0) this.#subjects.delete(subject);
  }

  /** Returns false if no waiting task may begin. */
  #serveNext(): boolean {
    for (const [subject, tasks] of this.#subjects) {
      const at = tasks.waiting.findIndex(({ lane }) => this.#laneFor(tasks.running, lane) !== undefined);
      const [next] = at < 0 ? [] : tasks.waiting.splice(at, 1);
      const lane = next && this.#laneFor(tasks.running, next.lane);
      if (!next || lane === undefined) continue;
      this.waiting--;
      this.#subjects.delete(subject);
      this.#subjects.set(subject, tasks);
      next.begin(this.#take(tasks, lane));
      return true;
    }
    return false;
  }
}
