export interface Pace {
  readonly itemsPerSecond: number;
  /** A share from 0 to 1. */
  readonly share: number;
  /** Undefined before anything is done. */
  readonly secondsLeft: number | undefined;
}

export interface Done {
  readonly items: number;
  readonly bytes: number;
  /** Undefined or 0 if the total is unknown. */
  readonly bytesTotal: number | undefined;
  readonly elapsedMs: number;
}

/** Assumes that the rest takes as long in proportion as the part that is done. */
export function paceOf({ items, bytes, bytesTotal = 0, elapsedMs }: Done): Pace {
  const share = bytesTotal === 0 ? 1 : Math.min(1, bytes / bytesTotal);
  const seconds = elapsedMs / 1000;
  return {
    itemsPerSecond: Math.round(items / Math.max(seconds, 0.001)),
    share,
    secondsLeft: share === 0 || seconds <= 0 ? undefined : Math.ceil((seconds * (1 - share)) / share),
  };
}
