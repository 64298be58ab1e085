/** A steady load of creates by this program, which remembers when each create was sent and answered. */
import type { Service } from "./service.ts";
import { median } from "./statistics.ts";

const clients = 64;

interface Create {
  id: string;
  /** By `performance.now()`. */
  sent: number;
  answered: number;
  ok: boolean;
}

/** The creates of a stretch of time. */
export interface Stretch {
  seconds: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  worst: number;
}

export class SteadyLoad {
  readonly creates: Create[] = [];
  private next: number;
  private going = true;
  private readonly clients: Promise<unknown>;

  constructor(
    private readonly service: Service,
    firstId: number,
    secondsMax = Number.POSITIVE_INFINITY,
  ) {
    this.next = firstId;
    const until = performance.now() + secondsMax * 1000;
    this.clients = Promise.all(Array.from({ length: clients }, () => this.client(until)));
  }

  /** Ends when every create that was sent is answered. */
  async stop(): Promise<void> {
    this.going = false;
    await this.clients;
  }

  /** The number of creates by their answers, and of those that were answered with success and have no row. */
  compared(stored: ReadonlySet<string>): { answered: number; refused: number; lost: number } {
    const answered = this.creates.filter(({ ok }) => ok);
    const lost = answered.filter(({ id }) => !stored.has(id));
    return { answered: answered.length, refused: this.creates.length - answered.length, lost: lost.length };
  }

  /** The number of creates that were sent up to a time, also those that were answered later. Call it after `stop`. */
  sentBefore(time: number): number {
    return this.creates.filter(({ sent }) => sent <= time).length;
  }

  answeredBefore(time: number): number {
    return this.creates.filter(({ answered, ok }) => ok && answered <= time).length;
  }

  /**
   * The creates that were answered within a stretch. Those that were held up by the work that began at its end are left
   * out.
   */
  answeredWithin(begin: number, end: number): Stretch {
    const answered = this.creates.filter(({ answered }) => answered > begin && answered <= end);
    return this.stretch(begin, end, answered);
  }

  /**
   * The creates that were under way during a part of a stretch; the last ones were answered after it. Call it after
   * `stop`.
   */
  underWay(begin: number, end: number): Stretch {
    const underWay = this.creates.filter(({ sent, answered }) => sent < end && answered > begin);
    return this.stretch(begin, end, underWay);
  }

  private stretch(begin: number, end: number, creates: readonly Create[]): Stretch {
    const seconds = (end - begin) / 1000;
    const answered = creates.filter(({ ok, answered }) => ok && answered <= end).length;
    const times = creates.map(({ sent, answered }) => answered - sent).sort((a, b) => a - b);
    return {
      seconds,
      perSecond: answered / seconds,
      p50: median(times),
      p99: times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN,
      worst: times.at(-1) ?? Number.NaN,
    };
  }

  private async client(until: number): Promise<void> {
    while (this.going && performance.now() < until) {
      const id = String(this.next++);
      const body = this.service.peer.body({ id, name: `plant ${id}`, tag: "tree" });
      const sent = performance.now();
      const answer = await this.service.create(body).catch(() => undefined);
      // The status has arrived, which is a promise even if the body has not.
      await answer?.arrayBuffer().catch(() => undefined);
      this.creates.push({ id, sent, answered: performance.now(), ok: answer?.ok ?? false });
    }
  }
}
