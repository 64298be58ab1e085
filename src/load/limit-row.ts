import type { MetricName } from "#core/metrics.ts";

/** The resources that may be used up, in the order of the table. */
export const RESOURCES = [
  "thread time",
  "reading threads",
  "the writer's queue",
  "memory of bodies",
  "memory of answers",
  "descriptors",
  "database connections",
  "write-ahead log",
  "request and security log",
  "mail",
  "outgoing connections",
  "guesses",
  "credentials",
  "endpoints",
  "backups",
] as const;

/** The numbers of what bounds a resource: a queue, slots, a throttle, or one bound by itself. */
interface Bounds {
  /** How many one holder, and all together, may have at once. */
  readonly each?: number;
  readonly all?: number;
  readonly waitingEach?: number;
  readonly waiting?: number;
  /** How many one holder may have in a window of time. */
  readonly max?: number;
  readonly windowSeconds?: number;
  readonly unit?: "bytes" | "ms";
}

/** A row of the table of limits. */
export interface LimitRow extends Bounds {
  readonly resource: (typeof RESOURCES)[number];
  /** A plural noun, as in "exports". */
  readonly name: string;
  /** Who can use it up; `each` and `max` bound a single one of them. */
  readonly usedBy: string;
  /** The answer, or what else happens, beyond the bound. */
  readonly beyond: string;
  readonly metric: MetricName;
  /** The script that measures the number, or the decision that has its figures; without either it was chosen. */
  readonly measuredBy: string | undefined;
}

/** Every row that was made so far; a row is made by the file that holds its limit. */
export const LIMIT_ROWS_MADE: LimitRow[] = [];

/** The rows of one resource that are seen in the same metric and were measured by the same means. */
export class LimitGroup {
  constructor(
    private readonly resource: LimitRow["resource"],
    private readonly metric: MetricName,
    /** The outcome beyond the bound where a row does not say otherwise. */
    private readonly beyond: string,
    private readonly measuredBy?: string,
  ) {}

  row<const Numbers extends Bounds>(name: string, usedBy: string, numbers: Numbers, beyond = this.beyond) {
    const { resource, metric, measuredBy } = this;
    const made = { resource, name, usedBy, ...numbers, beyond, metric, measuredBy } satisfies LimitRow;
    LIMIT_ROWS_MADE.push(made);
    return made;
  }
}
