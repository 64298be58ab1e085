import { useCallback } from "react";
import { useSearchParams } from "wouter";

export type TokenAction = "open" | "rename" | "roll" | "revoke";

const ACTIONS: readonly string[] = ["open", "rename", "roll", "revoke"] satisfies TokenAction[];

/** Which token is open and what is done with it, and whether one is being made: all of it in the address. */
export function useOpenToken() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get("do") ?? "open";
  const action = (ACTIONS.includes(asked) ? asked : "open") as TokenAction;
  const open = useCallback(
    (id: string, action: TokenAction) =>
      setSearch((before) => changed(before, { token: id, do: action === "open" ? null : action })),
    [setSearch],
  );
  const make = useCallback(() => setSearch((before) => changed(before, { make: "token" })), [setSearch]);
  const close = useCallback(
    () => setSearch((before) => changed(before, { token: null, do: null, make: null })),
    [setSearch],
  );
  return { id: search.get("token"), action, making: search.get("make") === "token", open, make, close };
}

function changed(before: URLSearchParams, change: Record<string, string | null>): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(change)) {
    if (value === null) after.delete(name);
    else after.set(name, value);
  }
  return after;
}
