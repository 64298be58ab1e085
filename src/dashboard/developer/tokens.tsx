import type { NewTokenForm, TokenList, TokenRecord } from "#contract/dashboard/tokens.ts";
import { useAnswer } from "../api/asking.ts";
import { type ShownState, StateBadge } from "../components/details.tsx";
import { type ChoiceProps, Select } from "../components/filters.tsx";
import type { ShownSecret } from "../components/secret-dialog.tsx";
import { useMay } from "../session/session.ts";

export const TOKEN_DATA = ["tokens", "overview"];

/** Undefined, as while they are loading, for a reader whose role does not show them. */
export function useTokens() {
  const enabled = useMay()("use tokens");
  return useAnswer(["tokens"], async (service) => (await service.api<TokenList>("GET", "/tokens")).tokens, {
    // Often enough for "last used".
    refetchInterval: 10_000,
    enabled,
  });
}

export function TokenFilter(props: Omit<ChoiceProps, "label" | "choices">) {
  const may = useMay();
  const tokens = useTokens().data ?? [];
  const named = Object.fromEntries(tokens.map(({ id, name, hint }) => [id, `${name} (${hint})`]));
  if (!may("use tokens")) return null;
  return <Select {...props} label="Token" choices={{ "": "All tokens", ...named }} />;
}

export function shownToken(secret: string): ShownSecret {
  return {
    what: "token",
    title: "Your new token",
    warning: "Copy it now: it is not shown again. Whoever has it can act for you, so keep it as you would a password.",
    values: [secret],
    file: { name: "plantstore.env", content: `PLANTSTORE_URL=${location.origin}\nPLANTSTORE_TOKEN=${secret}\n` },
  };
}

/** A token that was replaced by a roll works until its overlap ends. */
export function isReplaced({ state, revoked_at }: TokenRecord): boolean {
  return state === "active" && revoked_at !== null;
}

const STATES: Readonly<Record<TokenRecord["state"], ShownState>> = {
  active: { word: "Active", icon: "check", color: "leaf" },
  expired: { word: "Expired", icon: "clock", color: "gray" },
  revoked: { word: "Revoked", icon: "blocked", color: "red" },
};
const REPLACED: ShownState = { word: "Being replaced", icon: "clock", color: "yellow" };

export function TokenState({ token }: { readonly token: TokenRecord }) {
  return <StateBadge state={isReplaced(token) ? REPLACED : STATES[token.state]} />;
}

export type Access = "write" | "read" | "both";

export const ACCESS: Readonly<Record<Access, { label: string; meaning: string; scopes: NewTokenForm["scopes"] }>> = {
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
  const words = [...scopes].sort().map((scope) => scope.replace("plants:", "").replace(":manage", ""));
  return words.join(", ");
}

export const TOKEN_ORDERS = { "": "Newest first", name: "By name", used: "Last used first", expires: "Ending first" };

const LONG_AGO = "0001";
const FAR_OFF = "9999";

/** The times are in RFC 3339 and UTC, so their texts are in the order of the times. */
const COMPARE: Readonly<Record<string, (a: TokenRecord, b: TokenRecord) => number>> = {
  "": (a, b) => b.created_at.localeCompare(a.created_at),
  name: (a, b) => a.name.localeCompare(b.name),
  used: (a, b) => (b.last_used_at ?? LONG_AGO).localeCompare(a.last_used_at ?? LONG_AGO),
  expires: (a, b) => (a.expires_at ?? FAR_OFF).localeCompare(b.expires_at ?? FAR_OFF),
};

/** The tokens that the text finds, the newest first unless the order is another one. */
export function chosenTokens(tokens: readonly TokenRecord[], text: string, order: string): TokenRecord[] {
  const wanted = text.trim().toLocaleLowerCase();
  const found = tokens.filter(({ name, hint }) => `${name} ${hint}`.toLocaleLowerCase().includes(wanted));
  return found.sort(COMPARE[Object.hasOwn(COMPARE, order) ? order : ""]);
}
