import type { ColumnType, Generated } from "kysely";
import type { AuditAction } from "#core/audit.ts";
import type { Actor } from "#core/caller.ts";
import type { UndoState } from "#core/import.ts";
import type { Role } from "#core/role.ts";
import type { ProofKind } from "#core/session.ts";
import type {
  DeliveryError,
  DeliveryStatus,
  WebhookDeliveryMode,
  WebhookReason,
  WebhookStatus,
} from "#core/webhook.ts";
import type { TextRow } from "./plant-row.ts";

/** Written as bigint and read as text (`CAST(… AS text)`), the only way to an exact int64 that both drivers share. */
type Int64 = ColumnType<string, bigint, bigint>;
type Optional<Value> = ColumnType<Value | null, Value | null | undefined>;
/** SQLite gives 0 and 1, PostgreSQL a boolean. */
type Flag = boolean | number;

/**
 * The tables, as Kysely sees them; columns that no query names are left out. Columns of one type stand together. Times are
 * milliseconds since 1970. `account` is the number of a store, `person` the id of a row of `people`.
 */
export interface Schema {
  plants: Record<"number" | "id", Int64> &
    Record<"account" | "revision" | "created_at" | "updated_at", number> &
    TextRow;
  plant_counts: Record<"account" | "slot" | "count", number>;
  plant_events: { number: Int64; account: number };
  plant_event_actors: { number: Int64; account: number; actor: string; import: string | null };
  number_marks: { at: number; number: Int64 };
  counters: { name: string; value: number };
  migrations: { name: string };

  tokens: Record<"id" | "name" | "hint" | "scopes", string> &
    Record<"account" | "created_at", number> &
    Record<"last_used_at" | "expires_at" | "revoked_at", number | null> & {
      hash: Uint8Array;
      /** The person's id, also after their removal; null for the operator. */
      made_by: string | null;
      expiry_noticed_at: Optional<number>;
    };
  usage_counts: Record<"token" | "span", string> & Record<"account" | "start" | "outcome" | "count", number>;
  latencies: Record<"token" | "version" | "span", string> & Record<"account" | "start" | "bucket" | "count", number>;

  people: Record<"id" | "name" | "email", string> & {
    email_verified: Flag;
    /** The hash; null for who signs in without a password. */
    password: Optional<string>;
    /** The sealed secret of an authenticator app, and the sealed backup codes: both null without a second factor. */
    second_factor: Optional<string>;
    backup_codes: Optional<string>;
    /** A second factor that takes their place with its first code. */
    pending_second_factor: Optional<string>;
    pending_backup_codes: Optional<string>;
    /** Grows with every change of password: a sign-in that began before it ends in vain. */
    sign_in_epoch: Generated<number>;
    /** The time at which the operator blocked their sign-in. */
    suspended_at: Optional<number>;
    created_at: number;
  };
  stores: Record<"id" | "name", string> & {
    number: Generated<number>;
    second_factor_required: Generated<Flag>;
    test: Generated<Flag>;
    /** The number up to which the plants of a test store are being removed. */
    emptied_to: ColumnType<string | null, bigint | null | undefined, bigint | null>;
    /** The time at which the operator suspended it: nothing is answered or delivered for it. */
    suspended_at: Optional<number>;
    suspension_reason: Optional<string>;
    created_at: number;
  };
  members: { store: number; person: string; role: Role; source: "hand" | "oidc"; joined_at: number };
  imports: Record<"id" | "actor" | "file_name", string> &
    Record<"account" | "at", number> &
    Record<"created" | "updated", Generated<number>> & {
      undo_state: Optional<UndoState>;
      /** An `ImportUndo` as JSON. */
      undo: Optional<string>;
    };
  invitations: Record<"id" | "email", string> &
    Record<"account" | "created_at" | "expires_at", number> & {
      hash: Uint8Array;
      role: Role;
      mailed: Flag;
      /** The person's id; null for the operator. */
      made_by: string | null;
    };
  removed_accounts: { number: number; removed_at: number };
  identities: Record<"id" | "person" | "issuer" | "subject" | "email", string> &
    Record<"created_at" | "last_used_at", number>;
  sessions: Record<"id" | "person" | "address" | "user_agent", string> &
    Record<"created_at" | "last_seen_at" | "expires_at" | "proved_at", number> & {
      hash: Uint8Array;
      remembered: Flag;
      proof: ProofKind;
    };
  passkeys: Record<
    "id" | "person" | "name" | "public_key" | "credential_id" | "device_type" | "transports" | "aaguid",
    string
  > &
    Record<"counter" | "created_at", number> & { backed_up: Flag };
  trusted_devices: Record<"id" | "person" | "user_agent" | "address", string> &
    Record<"created_at" | "last_used_at" | "expires_at", number> & { hash: Uint8Array };
  attempts: { key: string; count: number; ends_at: number };
  failed_sign_ins: { person: string; count: number; ends_at: number };
  welcome_codes: { place: number; hash: string; used_by: string | null };
  kept_secrets: { name: string; value: string };
  leases: { name: string; holder: string; expires_at: number };

  webhook_endpoints: Record<"id" | "url" | "description" | "version", string> &
    Record<"account" | "created_at" | "updated_at", number> & {
      /** Separated by spaces; null means all. */
      types: string | null;
      delivery: WebhookDeliveryMode;
      status: WebhookStatus;
      reason: Optional<WebhookReason>;
      failing_since: Optional<number>;
      /** Failed attempts since the last success. */
      failures: Generated<number>;
      position: Int64;
      /** Incremented with every change that the leaseholder has to learn of. */
      revision: Generated<number>;
      /** The revision with which delivery was last begun anew: outcomes of an earlier one no longer count. */
      restart_revision: Generated<number>;
      /** Nothing is sent before this time. */
      not_before: Generated<number>;
      /** The node that delivers, until `held_until` by the database's clock. */
      holder: Generated<string | null>;
      held_until: Generated<number>;
    };
  webhook_secrets: { endpoint: string; hint: string; sealed: string; created_at: number; expires_at: number | null };
  webhook_retries: { endpoint: string; number: Int64; attempts: number; next_at: number };
  webhook_replays: Record<"id" | "endpoint", string> &
    Record<"position" | "until", Int64> & { types: string | null; created_at: number };
  webhook_attempts: Record<"endpoint" | "event" | "type", string> &
    Record<"sequence" | "attempt" | "ms" | "at", number> &
    Record<"http_status" | "next_at", number | null> & {
      /** The sequence number modulo the length of the log. */
      slot: number;
      status: DeliveryStatus;
      error: DeliveryError | null;
      excerpt: string | null;
    };

  audit_entries: Record<"id" | "actor_id" | "actor_name", string> &
    Record<"target" | "address" | "device" | "request_id" | "detail", Optional<string>> & {
      at: number;
      /** The store in whose log it stands, or else the person: the other is null. */
      account: Optional<number>;
      person: Optional<string>;
      action: AuditAction;
      actor_kind: Actor["kind"];
    };
  audit_purge: { before: number };
  audit_lines: { id: string };
  mail_queue: Record<"id" | "mail", string> &
    Record<"created_at" | "next_at" | "attempts", number> & { recipient: Optional<string> };
  mail_links: Record<"purpose" | "person" | "email", string> & { hash: Uint8Array; expires_at: number };
}
