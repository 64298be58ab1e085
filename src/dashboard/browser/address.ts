import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** A change of the address's query: undefined takes a member away, and members that are not named stay. */
export type AddressChange = Readonly<Record<string, string | undefined>>;

/** The query of the address, and the only way to change it. With `replace` the back button skips what was there before. */
export function useAddress() {
  const [search, setSearch] = useSearchParams();
  const change = useCallback(
    (part: AddressChange, options?: { readonly replace?: boolean }) =>
      setSearch((before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(part)) {
          if (value === undefined) after.delete(name);
          else after.set(name, value);
        }
        return after;
      }, options),
    [setSearch],
  );
  return [search, change] as const;
}
