import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { plantsClient } from "../api/plants-client.ts";
import { queries } from "../queries.ts";
import { Signal } from "../signal.ts";
import { plantsChanged } from "./plants-list.ts";

export const UNDO_MS = 10_000;
const AT_ONCE = 6;

/** Plants that the reader removed: no longer shown, and really removed when the time for undoing is over. */
export interface Removal {
  readonly ids: readonly string[];
  readonly state: "undoable" | "removing" | "failed";
  /** Of those that could not be removed, once it has failed. */
  readonly cause?: unknown;
}

export const removal = new Signal<Removal | undefined>(undefined);

let timer: ReturnType<typeof setTimeout> | undefined;

/** Hides the plants and starts the time for undoing; what was removed before that is removed at once. */
export async function remove(ids: readonly string[]): Promise<void> {
  await removeNow();
  removal.set({ ids, state: "undoable" });
  addEventListener("beforeunload", askToStay);
  timer = setTimeout(() => void removeNow(), UNDO_MS);
}

export function undo(): void {
  clearTimeout(timer);
  end();
}

/** Ends the time for undoing. Before a plant is added too: it may have the id of one that waits to be removed. */
export async function removeNow(): Promise<void> {
  clearTimeout(timer);
  const current = removal.get();
  if (current?.state !== "undoable") return;
  removal.set({ ids: current.ids, state: "removing" });
  const { failed, cause } = await removeEach(current.ids);
  await plantsChanged(queries);
  if (failed.length === 0) return end();
  removal.set({ ids: failed, state: "failed", cause });
  removeEventListener("beforeunload", askToStay);
}

export function dismiss(): void {
  end();
}

function end(): void {
  removal.set(undefined);
  removeEventListener("beforeunload", askToStay);
}

/** One that is gone already is as good as removed. */
async function removeEach(ids: readonly string[]): Promise<{ failed: string[]; cause: unknown }> {
  const waiting = [...ids];
  const failed: string[] = [];
  let cause: unknown;
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await plantsClient.remove(BigInt(id));
      } catch (error) {
        if ((error as { error?: number }).error === ERROR_NUMBERS["plant-unknown"]) continue;
        failed.push(id);
        cause = error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { failed, cause };
}

function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
