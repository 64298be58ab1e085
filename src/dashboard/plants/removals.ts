import type { QueryClient } from "@tanstack/react-query";
import type { ServiceClient } from "../api/service-client.ts";
import { Signal } from "../api/signal.ts";
import { forEachPlant, plantsChanged } from "./plant-data.ts";

export const UNDO_MS = 10_000;

/** Plants that the reader removed: hidden at once, and removed from the store when the time for undoing is over. */
export interface Removal {
  readonly ids: readonly string[];
  readonly state: "undoable" | "removing" | "failed";
  /** The number of plants removed so far, while `removing`. */
  readonly done: number;
  /** The failure of the plants that could not be removed, in state `failed`. */
  readonly cause?: unknown;
}

export function isUnderWay(removal: Removal | undefined): boolean {
  return removal !== undefined && removal.state !== "failed";
}

export class Removals {
  readonly current = new Signal<Removal | undefined>(undefined);
  readonly #service: ServiceClient;
  readonly #queries: QueryClient;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #removing: Promise<void> | undefined;

  constructor(service: ServiceClient, queries: QueryClient) {
    this.#service = service;
    this.#queries = queries;
  }

  /** Hides the plants and starts the time for undoing. An earlier removal is carried out at once. */
  async remove(ids: readonly string[]): Promise<void> {
    // Others may have begun in the meantime.
    while (isUnderWay(this.current.get())) await this.removeNow();
    this.current.set({ ids, state: "undoable", done: 0 });
    this.#timer = setTimeout(() => void this.removeNow(), UNDO_MS);
  }

  undo(): void {
    clearTimeout(this.#timer);
    this.dismiss();
  }

  /** Ends the time for undoing. Called before a plant is added too, which may have the id of one that is to go. */
  removeNow(): Promise<void> {
    return this.#removeIf("undoable");
  }

  /** Tries again for the plants that could not be removed. */
  removeAgain(): Promise<void> {
    return this.#removeIf("failed");
  }

  async #removeIf(state: Removal["state"]): Promise<void> {
    clearTimeout(this.#timer);
    const current = this.current.get();
    if (current?.state === state) this.#removing = this.#carryOut(current.ids);
    await this.#removing;
  }

  async #carryOut(ids: readonly string[]): Promise<void> {
    const show = (done: number) => this.current.set({ ids, state: "removing", done });
    show(0);
    const { failed, cause } = await forEachPlant(ids, (id) => this.#service.client.remove(id), show);
    await plantsChanged(this.#queries);
    if (failed.length === 0) return this.dismiss();
    this.current.set({ ids: failed, state: "failed", done: 0, cause });
  }

  dismiss(): void {
    this.current.set(undefined);
  }
}
