import type { AuditAction } from "./audit.ts";
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
  "manage store": ["owner", "The store's name and rules, its removal; emptying a test store; new stores"],
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

/** The scopes of a page's token, by the role of its person. */
export const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ["plants:read"],
  editor: ["plants:read", "plants:write"],
  developer: SCOPES,
  owner: SCOPES,
};

/**
 * The right that an act in the audit log takes, in the store whose log it is; undefined for what concerns a person's
 * own sign-in and credentials, and for what only the service and its operator do.
 */
export const RIGHT_OF_ACT: Readonly<Record<AuditAction, Right | undefined>> = {
  "sign_in.succeeded": undefined,
  "sign_in.failed": undefined,
  "sign_in.second_factor_failed": undefined,
  "session.ended": undefined,
  "password.changed": undefined,
  "password.reset_by_operator": undefined,
  "second_factor.enabled": undefined,
  "second_factor.disabled": undefined,
  "second_factor.backup_codes_made": undefined,
  "second_factor.backup_code_used": undefined,
  "passkey.added": undefined,
  "passkey.removed": undefined,
  "identity.added": undefined,
  "identity.removed": undefined,
  "token.created": "use tokens",
  "token.renamed": "use tokens",
  "token.rolled": "use tokens",
  "token.revoked": "use tokens",
  "webhook.created": "use webhooks",
  "webhook.changed": "use webhooks",
  "webhook.secret_rolled": "use webhooks",
  "webhook.disabled": "use webhooks",
  "webhook.enabled": "use webhooks",
  "webhook.removed": "use webhooks",
  "account.created": undefined,
  "account.deleted": undefined,
  "export.made": "read plants",
  "settings.changed": undefined,
  "backup.made": undefined,
  "backup.restored": undefined,
  "member.invited": "manage people",
  "member.joined": undefined,
  "member.role_changed": "manage people",
  "member.removed": "manage people",
  "member.left": "leave",
  "invitation.revoked": "manage people",
  "store.created": "manage store",
  "store.emptied": "manage store",
};
