import { useMemo, useState } from "react";

/** The plants that are ticked, by id. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  set(ids: Iterable<string>): void;
  toggle(id: string): void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      ids,
      set: (chosen) => setIds(new Set(chosen)),
      toggle: (id) =>
        setIds((before) => {
          const after = new Set(before);
          if (!after.delete(id)) after.add(id);
          return after;
        }),
    }),
    [ids],
  );
}
