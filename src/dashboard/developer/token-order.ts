import type { TokenRecord } from "#contract/dashboard/tokens.ts";

export const TOKEN_ORDERS = [
  { value: "created", label: "Newest first" },
  { value: "name", label: "By name" },
  { value: "used", label: "Last used first" },
  { value: "expires", label: "Ending first" },
] as const;

export type TokenOrder = (typeof TOKEN_ORDERS)[number]["value"];

const COMPARE: Readonly<Record<TokenOrder, (a: TokenRecord, b: TokenRecord) => number>> = {
  created: (a, b) => time(b.created_at) - time(a.created_at),
  name: (a, b) => a.name.localeCompare(b.name),
  used: (a, b) => time(b.last_used_at ?? LONG_AGO) - time(a.last_used_at ?? LONG_AGO),
  expires: (a, b) => time(a.expires_at ?? FAR_OFF) - time(b.expires_at ?? FAR_OFF),
};

const LONG_AGO = "0001-01-01T00:00:00Z";
const FAR_OFF = "9999-12-31T00:00:00Z";

function time(at: string): number {
  return Date.parse(at);
}

export function tokenOrder(asked: string | null): TokenOrder {
  return TOKEN_ORDERS.find(({ value }) => value === asked)?.value ?? "created";
}

/** The tokens whose name or hint contains the text, in that order. */
export function chosenTokens(tokens: readonly TokenRecord[], text: string, order: TokenOrder): TokenRecord[] {
  const wanted = text.trim().toLocaleLowerCase();
  return tokens.filter(({ name, hint }) => `${name} ${hint}`.toLocaleLowerCase().includes(wanted)).sort(COMPARE[order]);
}
