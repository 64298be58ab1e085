import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { type ShownState, StateBadge } from "../components/state-badge.tsx";
import { isReplaced } from "./tokens.ts";

const STATES: Readonly<Record<TokenRecord["state"], ShownState>> = {
  active: { word: "Active", icon: "check", color: "leaf" },
  expired: { word: "Expired", icon: "clock", color: "gray" },
  revoked: { word: "Revoked", icon: "blocked", color: "red" },
};
const REPLACED: ShownState = { word: "Being replaced", icon: "clock", color: "yellow" };

export function TokenState({ token }: { readonly token: TokenRecord }) {
  return <StateBadge state={isReplaced(token) ? REPLACED : STATES[token.state]} />;
}
