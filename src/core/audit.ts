import type { Caller } from "./caller.ts";
import type { AccountNumber } from "./plant.ts";

/** The audited actions of each noun. */
interface Actions {
  sign_in: "succeeded" | "failed" | "second_factor_failed";
  session: "ended";
  password: "changed" | "reset_by_operator";
  second_factor: "enabled" | "disabled" | "backup_codes_made" | "backup_code_used";
  passkey: "added" | "removed";
  identity: "added" | "removed";
  token: "created" | "renamed" | "rolled" | "revoked";
  webhook: "created" | "changed" | "secret_rolled" | "disabled" | "enabled" | "removed";
  account: "created" | "deleted" | "suspended" | "resumed";
  export: "made";
  member: "invited" | "joined" | "role_changed" | "removed" | "left";
  invitation: "revoked";
  store: "created" | "emptied";
  settings: "changed";
  backup: "made" | "restored";
}

export type AuditNoun = keyof Actions;

/** An action with its noun, such as "token.created". */
export type AuditAction = { [Noun in AuditNoun]: `${Noun}.${Actions[Noun]}` }[AuditNoun];

export type AuditDetail = Readonly<Record<string, string | number | boolean>>;

/**
 * The log to which an entry belongs: that of the store with the id `madeStore`, which the act makes; that of the person
 * `ofPerson`; otherwise that of the store in which the caller acts.
 */
type AuditedIn =
  | { readonly account: AccountNumber; readonly madeStore?: undefined; readonly ofPerson?: undefined }
  | { readonly madeStore: string; readonly ofPerson?: undefined }
  | { readonly madeStore?: undefined; readonly ofPerson: string };

/** An act, who did it, and the log that has it. */
export type AuditEntry = AuditedAct & AuditedIn;

export interface AuditedAct extends Caller {
  readonly action: AuditAction;
  /** The id of the object of the action, such as a token's. Its name is in `detail`. */
  readonly target?: string;
  readonly detail?: AuditDetail;
}

/** The name by which a person knows the target of an entry, or what was set; "" if the entry has none. */
export function targetName({ detail = {} }: Pick<AuditEntry, "detail">): string {
  const name = detail.name ?? detail.url ?? detail.device ?? detail.email;
  return typeof name === "string" ? name : "";
}

/**
 * Acts that only take access away. They are never refused for their number, which is bounded all the same: by what there
 * was, and by the acts that give access.
 */
const TAKING_AWAY: ReadonlySet<AuditAction> = new Set([
  "session.ended",
  "second_factor.disabled",
  "passkey.removed",
  "identity.removed",
  "token.revoked",
  "webhook.disabled",
  "webhook.removed",
  "account.deleted",
  "member.removed",
  "member.left",
  "invitation.revoked",
]);

/**
 * True for what the holder of a session or a token may do a limited number of times in an hour. What is done by a mailed
 * link, by the operator or by the service itself has other bounds.
 */
export function isLimitedAct({ action, actor }: Pick<AuditEntry, "action" | "actor">): boolean {
  const isHolders = (actor.kind === "session" || actor.kind === "token") && actor.id !== "";
  return isHolders && !TAKING_AWAY.has(action);
}

/** A stored entry. Ids sort by time. */
export type AuditRecord = AuditEntry & {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
};

/** The log of a store, by its number, or of a person, by their id; or all logs, which only the operator reads. */
export type AuditLogKey = AccountNumber | string | { readonly all: true };

export interface AuditQuery {
  /** An action, or the first part of several, as in "token". */
  readonly action?: string;
  /** Only entries at or after this time, in milliseconds since 1970. */
  readonly from?: number;
  /** Only entries older than this one, by id. */
  readonly before?: string;
  readonly limit: number;
}
