/** A line of the log that may be repeated. */
export interface Line {
  readonly level: "warn" | "error";
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

interface Kind {
  readonly line: Line;
  readonly endsAt: number;
  written: number;
  leftOut: number;
}

/** Lines of a kind that are written in a minute: refused credentials each have a client of their own; of others the first says it all. */
const WRITTEN = { refusal: 20, other: 1 } as const;

/**
 * Counts lines of one kind, by level, message, part, error and `why`. The first one in a minute, or the first ones, are written, the
 * others are summed up in one line at the end of the minute, so that a flood of refusals does not fill the disk.
 */
export class RepeatedLines {
  readonly #kinds = new Map<string, Kind>();

  mayWrite(line: Line, now: number): boolean {
    const key = keyOf(line);
    let kind = this.#kinds.get(key);
    if (!kind || (now >= kind.endsAt && kind.leftOut === 0)) {
      if (this.#kinds.size >= 1000) return true;
      kind = { line, endsAt: now + 60_000, written: 0, leftOut: 0 };
      this.#kinds.set(key, kind);
    }
    if (kind.written < WRITTEN[isRefusal(line) ? "refusal" : "other"]) {
      kind.written++;
      return true;
    }
    kind.leftOut++;
    return false;
  }

  /** Forgets the kinds whose minute has passed, and yields a line for each kind with omitted lines. */
  *summaries(now: number): Generator<Line> {
    for (const [key, { line, endsAt, leftOut }] of this.#kinds) {
      if (now < endsAt) continue;
      this.#kinds.delete(key);
      if (leftOut > 0) yield summary(line, leftOut);
    }
  }
}

function isRefusal({ level, fields }: Line): boolean {
  return level === "warn" && "request_id" in fields && fields.why === undefined;
}

function summary({ level, fields, message }: Line, leftOut: number): Line {
  const { part, reason, why, err } = fields;
  const error = err instanceof Error ? err.message : undefined;
  return { level, fields: { part, reason, why, error, count: leftOut }, message: `repeated: ${message}` };
}

function keyOf({ level, fields: { err, part, reason, why }, message }: Line): string {
  return `${level} ${message} ${part ?? ""} ${reason ?? ""} ${why ?? ""} ${err instanceof Error ? err.message : ""}`;
}
