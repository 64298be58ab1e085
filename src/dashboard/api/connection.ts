import { Signal } from "../signal.ts";

const RETRY_MS = 2000;

/** True while the service does not answer. */
export const connectionLost = new Signal(false);

let retrying: ReturnType<typeof setTimeout> | undefined;

/** Told by whoever got no answer; from then on the service is asked every two seconds until it answers. */
export function reportLost(): void {
  connectionLost.set(true);
  retrying ??= setTimeout(ask, RETRY_MS);
}

export function retryNow(): void {
  clearTimeout(retrying);
  void ask();
}

async function ask(): Promise<void> {
  retrying = undefined;
  const answered = await fetch("/healthz", { cache: "no-store" }).then(
    () => true,
    () => false,
  );
  if (answered) connectionLost.set(false);
  else retrying = setTimeout(ask, RETRY_MS);
}
