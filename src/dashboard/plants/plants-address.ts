import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";
import type { ListQuery } from "#client/page.ts";

/** The state of the plants page that its address holds. */
export interface PlantsAddress {
  readonly q: string;
  /** "" is the empty tag. */
  readonly tag: string | undefined;
  readonly order: "id" | "-created_at";
  /** The plant whose panel is open. */
  readonly plant: string | undefined;
  readonly panel: "add" | "import" | undefined;
}

export function readPlantsAddress(search: URLSearchParams): PlantsAddress {
  const panel = search.get("open");
  return {
    q: search.get("q") ?? "",
    tag: search.get("tag") ?? undefined,
    order: search.get("order") === "id" ? "id" : "-created_at",
    plant: search.get("plant") ?? undefined,
    panel: panel === "add" || panel === "import" ? panel : undefined,
  };
}

export function writePlantsAddress({ q, tag, order, plant, panel }: PlantsAddress): URLSearchParams {
  const search = new URLSearchParams();
  if (q !== "") search.set("q", q);
  if (tag !== undefined) search.set("tag", tag);
  if (order === "id") search.set("order", order);
  if (plant !== undefined) search.set("plant", plant);
  if (panel !== undefined) search.set("open", panel);
  return search;
}

/** With `replace`, typing adds no steps for the back button. */
export type ChangePlantsAddress = (change: Partial<PlantsAddress>, options?: { replace?: boolean }) => void;

export function usePlantsAddress(): [PlantsAddress, ChangePlantsAddress] {
  const [search, setSearch] = useSearchParams();
  const address = useMemo(() => readPlantsAddress(search), [search]);
  const change = useCallback<ChangePlantsAddress>(
    (part, options) => setSearch((before) => writePlantsAddress({ ...readPlantsAddress(before), ...part }), options),
    [setSearch],
  );
  return [address, change];
}

export function listQuery({ q, tag, order }: Pick<PlantsAddress, "q" | "tag" | "order">): ListQuery {
  return { order, ...(q === "" ? {} : { q }), ...(tag === undefined ? {} : { tag }) };
}
