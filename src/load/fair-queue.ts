import { storageUnavailable, tooManyAtOnce, unavailable } from "#core/failure.ts";
import { type CountedAs, holderOf, personOf, shareOfPerson, wholeOf } from "./counted-as.ts";
import type { SlotBounds } from "./slots.ts";

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
  waiting: number;
  /** One queue per person of a store, in the order of service; requests without a person share one queue. */
  readonly queues: Map<string | undefined, Waiting[]>;
}

/**
 * Runs a bounded number of tasks at once, and few for any one subject: at most as many as are still free (Choudhury and
 * Hahne, "Dynamic queue length thresholds", 1998), so that tasks that never end leave room for the next subject. Subjects
 * with waiting tasks are served in turn (Nagle, "On packet switches with infinite storage", RFC 970), so one with many
 * tasks delays only itself. Within a store its people take turns too, and one person may have half of its waiting tasks.
 */
export class FairQueue {
  running = 0;
  waiting = 0;
  /** Subjects in the order of service. */
  readonly #subjects = new Map<number | string, SubjectTasks>();
  readonly #busy: boolean[];

  constructor(private readonly bounds: QueueBounds) {
    this.#busy = new Array(bounds.all).fill(false);
  }

  /**
   * Throws "rate-limited" if too many tasks of the subject are waiting, "unavailable" if too many are overall. A caller that
   * would have to read a body before its task can run asks this first.
   */
  requireRoom(subject: CountedAs): void {
    const { name, each, waitingEach, waiting: waitingMax } = this.bounds;
    const [whole, person] = [wholeOf(subject), personOf(subject)];
    const tasks = this.#subjects.get(whole);
    // No subject may have more waiting tasks than there are free places, so that a few busy ones leave room for the next.
    if (tasks && tasks.waiting > 0 && tasks.waiting >= Math.min(waitingEach, waitingMax - this.waiting)) {
      throw tooManyAtOnce(name, each + waitingEach, { retryAfterS: 1, holder: holderOf(whole) });
    }
    const share = shareOfPerson(waitingEach);
    if (person !== undefined && (tasks?.queues.get(person)?.length ?? 0) >= share) {
      throw tooManyAtOnce(name, share, { retryAfterS: 1, holder: "person" });
    }
    if (this.waiting >= waitingMax) throw unavailable(`The service is overloaded with ${name}. Try again.`);
  }

  /** Runs the task when it is the subject's turn. Rejects as `requireRoom` throws. */
  async run<T>(
    subject: CountedAs,
    task: (lane: number) => Promise<T>,
    { lane, admitted = false, waitMsMax }: TaskOptions = {},
  ): Promise<T> {
    const whole = wholeOf(subject);
    const known = this.#subjects.get(whole);
    const free = this.#laneFor(known?.running ?? 0, lane);
    if (free === undefined && !admitted) this.requireRoom(subject);
    const tasks = known ?? { running: 0, waiting: 0, queues: new Map() };
    if (!known) this.#subjects.set(whole, tasks);
    const taken = free === undefined ? await this.#turn(subject, tasks, lane, waitMsMax) : this.#assign(tasks, free);
    try {
      return await task(taken);
    } finally {
      this.#end(whole, tasks, taken);
    }
  }

  #laneFor(running: number, lane: number | undefined): number | undefined {
    const { all, each } = this.bounds;
    if (running >= Math.min(each, all - this.running)) return undefined;
    const free = lane ?? this.#busy.indexOf(false);
    return this.#busy[free] ? undefined : free;
  }

  #assign(tasks: SubjectTasks, lane: number): number {
    this.#busy[lane] = true;
    this.running++;
    tasks.running++;
    return lane;
  }

  #turn(subject: CountedAs, tasks: SubjectTasks, lane: number | undefined, msMax: number | undefined): Promise<number> {
    const person = personOf(subject);
    const queue = tasks.queues.get(person) ?? [];
    tasks.queues.set(person, queue);
    this.waiting++;
    tasks.waiting++;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { begin: resolve, lane };
      queue.push(waiting);
      if (msMax === undefined) return;
      const timer = setTimeout(() => {
        this.#leave(tasks, person, queue, queue.indexOf(waiting));
        this.#forgetIdle(wholeOf(subject), tasks);
        reject(storageUnavailable());
      }, msMax);
      waiting.begin = (free) => {
        clearTimeout(timer);
        resolve(free);
      };
    });
  }

  /** Takes the task out of its queue, and moves the person to the end of their store's order. */
  #leave(tasks: SubjectTasks, person: string | undefined, queue: Waiting[], at: number): void {
    this.waiting--;
    tasks.waiting--;
    queue.splice(at, 1);
    tasks.queues.delete(person);
    if (queue.length > 0) tasks.queues.set(person, queue);
  }

  #end(subject: number | string, tasks: SubjectTasks, lane: number): void {
    this.#busy[lane] = false;
    this.running--;
    tasks.running--;
    this.#forgetIdle(subject, tasks);
    while (this.waiting > 0 && this.#serveNext());
  }

  #forgetIdle(subject: number | string, { running, waiting }: SubjectTasks): void {
    if (running === 0 && waiting === 0) this.#subjects.delete(subject);
  }

  /** Returns false if no waiting task may begin. */
  #serveNext(): boolean {
    for (const [subject, tasks] of this.#subjects) {
      for (const [person, queue] of tasks.queues) {
        const at = queue.findIndex(({ lane }) => this.#laneFor(tasks.running, lane) !== undefined);
        const next = queue[at];
        const lane = next && this.#laneFor(tasks.running, next.lane);
        if (!next || lane === undefined) continue;
        this.#leave(tasks, person, queue, at);
        this.#subjects.delete(subject);
        this.#subjects.set(subject, tasks);
        next.begin(this.#assign(tasks, lane));
        return true;
      }
    }
    return false;
  }
}
