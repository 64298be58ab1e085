import type { ColumnType, Generated } from "kysely";
import type { AuditAction } from "#core/audit.ts";
import type { Actor } from "#core/caller.ts";
import type { Role } from "#core/role.ts";
import type {
  DeliveryError,
  DeliveryStatus,
  WebhookDeliveryMode,
  WebhookReason,
  WebhookStatus,
} from "#core/webhook.ts";

/** Written as bigint and read as text (`CAST(… AS text)`), the only way to an exact int64 that both drivers share. */
type Int64 = ColumnType<string, bigint, bigint>;
type Optional<Value> = ColumnType<Value | null, Value | null | undefined>;
type DateTime = ColumnType<Date | string>;
/** SQLite gives 0 and 1, PostgreSQL a boolean. */
type Flag = boolean | number;

/**
 * The tables, as Kysely sees them; columns that no query names are left out. Columns of one type stand together. Times are
 * integers, milliseconds since 1970; only the tables of accounts and sign-in have dates.
 */
export interface Schema {
  plants: Record<"number" | "id", Int64> &
    Record<"account" | "revision" | "created_at" | "updated_at", number> & { name: string; tag: string | null };
  plant_counts: Record<"account" | "slot" | "count", number>;
  plant_events: { number: Int64; account: number };
  plant_event_actors: { number: Int64; account: number; actor: string };
  number_marks: { at: number; number: Int64 };
  counters: { name: string; value: number };
  migrations: { name: string };

  tokens: Record<"id" | "name" | "hint" | "scopes", string> &
    Record<"account" | "created_at", number> &
    Record<"last_used_at" | "expires_at" | "revoked_at", number | null> & {
      hash: Uint8Array;
      session_id: string | null;
      made_by: Optional<string>;
      expiry_noticed_at: Optional<number>;
    };
  usage_counts: Record<"token" | "span", string> & Record<"account" | "start" | "outcome" | "count", number>;
  latencies: Record<"token" | "version" | "span", string> & Record<"account" | "start" | "bucket" | "count", number>;

  accounts: Record<"id" | "name" | "email", string> &
    Record<"number" | "sign_in_epoch", Generated<number>> &
    Record<"created_at" | "updated_at", DateTime> & {
      email_verified: Flag;
      image: Optional<string>;
      two_factor_enabled: Optional<Flag>;
      store_name: Optional<string>;
      second_factor_required: Optional<Flag>;
      test: Optional<Flag>;
      emptied_to: ColumnType<string | null, bigint | null | undefined, bigint | null>;
    };
  members: Record<"account" | "created_at", number> & {
    user_id: string;
    role: Role | "none";
    source: "hand" | "oidc";
  };
  invitations: Record<"id" | "email" | "made_by", string> &
    Record<"account" | "created_at" | "expires_at", number> & { hash: Uint8Array; role: Role; mailed: Flag };
  removed_accounts: { number: number; removed_at: number };
  credentials: Record<"id" | "account_id" | "provider_id" | "user_id", string> &
    Record<"created_at" | "updated_at", DateTime> &
    Record<"password" | "email", Optional<string>>;
  sessions: Record<"id" | "token" | "user_id", string> &
    Record<"expires_at" | "created_at" | "updated_at", DateTime> &
    Record<"ip_address" | "user_agent" | "proof", string | null> & {
      /** Null in rows of an older version, in which every session was remembered. */
      remembered: Flag | null;
      proved_at: number | null;
      /** Null in rows of an older version, which the token alone opens. */
      secret_hash: Uint8Array | null;
    };
  second_factors: Record<"id" | "secret" | "backup_codes" | "user_id", string> & {
    /** False until its first code has been entered. */
    verified: Flag | null;
  };
  passkeys: Record<"id" | "public_key" | "user_id" | "credential_id" | "device_type", string> &
    Record<"name" | "transports" | "aaguid", string | null> & {
      counter: number;
      backed_up: Flag;
      created_at: DateTime | null;
    };
  trusted_devices: Record<"id" | "user_id" | "user_agent" | "address", string> &
    Record<"created_at" | "last_used_at" | "expires_at", number> & { hash: Uint8Array };
  verifications: { id: string; identifier: string; value: string; expires_at: DateTime };
  attempts: { key: string; count: number; ends_at: number };
  failed_sign_ins: { account: number; count: number; ends_at: number };
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
  webhook_nodes: { node: string; alive_until: number };

  audit_entries: Record<"id" | "actor_id" | "actor_name", string> &
    Record<"account" | "at", number> &
    Record<"target" | "address" | "device" | "request_id" | "detail", Optional<string>> & {
      action: AuditAction;
      actor_kind: Actor["kind"];
    };
  audit_purge: { before: number };
  audit_lines: { id: string };
  mail_queue: Record<"id" | "mail", string> &
    Record<"created_at" | "next_at" | "attempts", number> & { recipient: Optional<string> };
  mail_links: Record<"purpose" | "user_id" | "email", string> & { hash: Uint8Array; expires_at: number };
}
