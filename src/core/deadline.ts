import pTimeout from "p-timeout";

/** Resolves as the promise does, but rejects with the error of `late` after `ms`. Late work goes on, and its result is ignored. */
export function inTime<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const fallback = () => {
    throw late();
  };
  return pTimeout(promise, { milliseconds: ms, fallback });
}

/** Resolves as the promise does, but rejects with the signal's reason when that is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return pTimeout(promise, { milliseconds: Number.POSITIVE_INFINITY, signal });
}
