import type { TokenRecord } from "#contract/dashboard/tokens.ts";

type Scopes = TokenRecord["scopes"];
export type Access = "write" | "read" | "both";

export const ACCESS: Readonly<Record<Access, { label: string; meaning: string; scopes: Scopes }>> = {
  both: {
    label: "Read and write",
    meaning: "Adds, changes, removes, lists and exports plants",
    scopes: ["plants:read", "plants:write"],
  },
  write: { label: "Write only", meaning: "Adds, changes and removes plants", scopes: ["plants:write"] },
  read: { label: "Read only", meaning: "Lists and exports plants", scopes: ["plants:read"] },
};

/** A text such as "read, write, webhooks". */
export function accessOf({ scopes }: { readonly scopes: readonly string[] }): string {
  return [...scopes]
    .sort()
    .map((scope) => scope.replace("plants:", "").replace(":manage", ""))
    .join(", ");
}
