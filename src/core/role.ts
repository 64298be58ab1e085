import type { AuditAction, AuditNoun } from "./audit.ts";
import { SCOPES, type Scope } from "./token.ts";

/** The roles in a store, the least first. Each may also do what those before it may. */
export const ROLES = ["viewer", "editor", "developer", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** The least role for each thing that is done in a store, with the words of `docs/people.md`. */
export const RIGHTS = {
  "read figures": ["viewer", "The Overview and the usage"],
  "read plants": ["viewer", "Plants: list, search, read and export"],
  "read events": ["viewer", "Events, and the history of a plant"],
  "see people": ["viewer", "Who else belongs to the store"],
  leave: ["viewer", "Leaving the store"],
  "change plants": ["editor", "Plants: add, change, remove, restore, import; labels"],
  "use tokens": ["developer", "The quick start, tokens, and what the Overview says of tokens"],
  "read requests": ["developer", "The request log"],
  "use webhooks": ["developer", "Webhooks and their secrets"],
  "manage people": ["owner", "Inviting people, changing their roles, removing them"],
  "manage store": ["owner", "The store's name and rules, its removal; emptying a test store"],
  "read security log": ["owner", "The store's security log"],
} as const satisfies Record<string, readonly [Role, string]>;
export type Right = keyof typeof RIGHTS;

export function mayDo(role: Role, right: Right): boolean {
  return isAtLeast(role, RIGHTS[right][0]);
}

function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** The roles that have the right. */
export function rolesWith(right: Right): readonly Role[] {
  return ROLES.filter((role) => mayDo(role, right));
}

/** The right that gives a person's pages each scope of the API. */
export const RIGHT_OF_SCOPE = {
  "plants:read": "read plants",
  "plants:write": "change plants",
  "webhooks:manage": "use webhooks",
} as const satisfies Readonly<Record<Scope, Right>>;

/** The scopes of the pages of a person in that role. */
export function scopesOf(role: Role): readonly Scope[] {
  return SCOPES.filter((scope) => mayDo(role, RIGHT_OF_SCOPE[scope]));
}

/** The right that acts take in the store whose log has them, by their objects; undefined as in `rightOfAct`. */
const RIGHT_OF_ACTS_ON: Readonly<Record<AuditNoun, Right | undefined>> = {
  sign_in: undefined,
  session: undefined,
  password: undefined,
  second_factor: undefined,
  passkey: undefined,
  identity: undefined,
  token: "use tokens",
  webhook: "use webhooks",
  account: "manage store",
  export: "read plants",
  settings: "manage store",
  backup: undefined,
  member: "manage people",
  invitation: "manage people",
  store: "manage store",
};

/**
 * The right that an act takes in the store whose log has it; undefined for what only stands in a person's own log, and for
 * what only the service and its operator do.
 */
export function rightOfAct(action: AuditAction): Right | undefined {
  if (action === "member.joined") return undefined;
  if (action === "member.left") return "leave";
  return RIGHT_OF_ACTS_ON[action.slice(0, action.indexOf(".")) as AuditNoun];
}
