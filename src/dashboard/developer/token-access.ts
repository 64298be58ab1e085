import type { TokenRecord } from "#contract/dashboard.ts";

export type Access = "write" | "read" | "both";

export const ACCESS: Readonly<Record<Access, { label: string; meaning: string; scopes: TokenRecord["scopes"] }>> = {
  both: {
    label: "Read and write",
    meaning: "Adds, changes, removes, lists and exports plants",
    scopes: ["plants:read", "plants:write"],
  },
  write: { label: "Write only", meaning: "Adds, changes and removes plants", scopes: ["plants:write"] },
  read: { label: "Read only", meaning: "Lists and exports plants", scopes: ["plants:read"] },
};

/** "read, write", as the table says it. */
export function accessOf(token: Pick<TokenRecord, "scopes">): string {
  return [...token.scopes]
    .sort()
    .map((scope) => scope.replace("plants:", ""))
    .join(", ");
}
