import { useCallback, useMemo, useRef, useState } from "react";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { matchingPlants } from "./matching-plants.ts";
import type { PlantsAddress } from "./plants-address.ts";

/** A browser's memory does not collect more; an import or the API is for those. */
export const SELECTION_LENGTH_MAX = 100_000;

/** The ticked plants, by id. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  set(ids: Iterable<string>): void;
  toggle(id: string): void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const set = useCallback((chosen: Iterable<string>) => setIds(new Set(chosen)), []);
  const toggle = useCallback(
    (id: string) =>
      setIds((before) => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      }),
    [],
  );
  return useMemo(() => ({ ids, set, toggle }), [ids, set, toggle]);
}

/**
 * Selects every matching plant, loaded or not. `counted` grows meanwhile; it is undefined while nothing is being
 * collected.
 */
export function useSelectAllMatching(client: PlantstoreClient, address: PlantsAddress, selection: Selection) {
  const [counted, setCounted] = useState<number>();
  const [failure, setFailure] = useState<unknown>();
  const abort = useRef<AbortController>(undefined);
  const start = async () => {
    abort.current = new AbortController();
    const ids: string[] = [];
    setFailure(undefined);
    setCounted(0);
    try {
      const { signal } = abort.current;
      for await (const { id } of matchingPlants(client, address, signal)) {
        ids.push(String(id));
        if (ids.length % 1000 === 0) setCounted(ids.length);
        if (ids.length === SELECTION_LENGTH_MAX) break;
      }
      selection.set(ids);
    } catch (cause) {
      if (!abort.current.signal.aborted) setFailure(cause);
    }
    setCounted(undefined);
  };
  return { counted, failure, start, stop: () => abort.current?.abort() };
}
