import type { QueryClient } from "@tanstack/react-query";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { Signal } from "../api/signal.ts";
import { isUnknownPlant, plantsChanged } from "./plant-data.ts";

export const UNDO_MS = 10_000;
const PARALLEL_MAX = 6;

/** Plants that the reader removed: hidden at once, and removed from the store when the time for undoing is over. */
export interface Removal {
  readonly ids: readonly string[];
  readonly state: "undoable" | "removing" | "failed";
  /** The number of plants removed so far, while `removing`. */
  readonly done: number;
  /** The failure of the plants that could not be removed, in state `failed`. */
  readonly cause?: unknown;
}

export class Removals {
  readonly current = new Signal<Removal | undefined>(undefined);
  readonly #client: PlantstoreClient;
  readonly #queries: QueryClient;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #removing: Promise<void> | undefined;

  constructor(client: PlantstoreClient, queries: QueryClient) {
    this.#client = client;
    this.#queries = queries;
  }

  /** Hides the plants and starts the time for undoing. An earlier removal is carried out at once. */
  async remove(ids: readonly string[]): Promise<void> {
    // Others may have begun in the meantime.
    while (this.#underWay()) await this.removeNow();
    this.current.set({ ids, state: "undoable", done: 0 });
    addEventListener("beforeunload", askToStay);
    this.#timer = setTimeout(() => void this.removeNow(), UNDO_MS);
  }

  #underWay(): boolean {
    const current = this.current.get();
    return current !== undefined && current.state !== "failed";
  }

  undo(): void {
    clearTimeout(this.#timer);
    this.dismiss();
  }

  /**
   * Ends the time for undoing, and waits for a running removal. Also called before a plant is added, since it may have
   * the id of one that is to be removed.
   */
  async removeNow(): Promise<void> {
    clearTimeout(this.#timer);
    const current = this.current.get();
    if (current?.state === "undoable") this.#removing = this.#carryOut(current.ids);
    await this.#removing;
  }

  async #carryOut(ids: readonly string[]): Promise<void> {
    this.current.set({ ids, state: "removing", done: 0 });
    const { failed, cause } = await this.#removeEach(ids);
    await plantsChanged(this.#queries);
    if (failed.length === 0) return this.dismiss();
    this.current.set({ ids: failed, state: "failed", done: 0, cause });
    removeEventListener("beforeunload", askToStay);
  }

  /** Tries again for the plants that could not be removed. */
  removeAgain(): Promise<void> {
    const current = this.current.get();
    if (current?.state === "failed") this.#removing = this.#carryOut(current.ids);
    return this.removeNow();
  }

  dismiss(): void {
    this.current.set(undefined);
    removeEventListener("beforeunload", askToStay);
  }

  async #removeEach(ids: readonly string[]): Promise<{ failed: string[]; cause: unknown }> {
    const waiting = [...ids].reverse();
    const failed: string[] = [];
    let cause: unknown;
    let done = 0;
    const work = async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        try {
          await this.#client.remove(BigInt(id));
        } catch (error) {
          // Somebody else may have removed it before.
          if (!isUnknownPlant(error)) {
            failed.push(id);
            cause = error;
          }
        }
        if (++done % 50 === 0) this.current.set({ ids, state: "removing", done });
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_MAX }, work));
    return { failed, cause };
  }
}

function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
