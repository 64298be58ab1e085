import type { ColumnType, Generated } from "kysely";
import type { AuditAction, AuditActor } from "#core/audit.ts";
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
 * The tables, as Kysely sees them; columns that no query names are left out. Times are integers, milliseconds since 1970;
 * only the tables of accounts and sign-in have dates.
 */
export interface Schema {
  plants: {
    number: Int64;
    account: number;
    id: Int64;
    name: string;
    tag: string | null;
    revision: number;
    created_at: number;
    updated_at: number;
  };
  plant_counts: { account: number; slot: number; count: number };
  plant_events: { number: Int64; account: number };
  number_marks: { at: number; number: Int64 };
  counters: { name: string; value: number };

  tokens: {
    id: string;
    account: number;
    name: string;
    hash: Uint8Array;
    hint: string;
    scopes: string;
    created_at: number;
    last_used_at: number | null;
    expires_at: number | null;
    revoked_at: number | null;
    session_id: string | null;
    expiry_noticed_at: Optional<number>;
  };
  usage_counts: { account: number; token: string; span: string; start: number; outcome: number; count: number };
  latencies: {
    account: number;
    token: string;
    version: string;
    span: string;
    start: number;
    bucket: number;
    count: number;
  };

  accounts: {
    number: Generated<number>;
    id: string;
    name: string;
    email: string;
    email_verified: Flag;
    image: Optional<string>;
    sign_in_epoch: Generated<number>;
    two_factor_enabled: Optional<Flag>;
    created_at: DateTime;
    updated_at: DateTime;
  };
  removed_accounts: { number: number; removed_at: number };
  credentials: {
    id: string;
    account_id: string;
    provider_id: string;
    user_id: string;
    password: Optional<string>;
    created_at: DateTime;
    updated_at: DateTime;
  };
  sessions: {
    id: string;
    token: string;
    user_id: string;
    expires_at: DateTime;
    ip_address: string | null;
    user_agent: string | null;
    created_at: DateTime;
    updated_at: DateTime;
    /** Null in rows of an older version, in which every session was remembered. */
    remembered: Flag | null;
    proved_at: number | null;
    proof: string | null;
  };
  second_factors: {
    id: string;
    secret: string;
    backup_codes: string;
    user_id: string;
    /** False until its first code has been entered. */
    verified: Flag | null;
  };
  passkeys: {
    id: string;
    name: string | null;
    public_key: string;
    user_id: string;
    credential_id: string;
    counter: number;
    device_type: string;
    backed_up: Flag;
    transports: string | null;
    created_at: DateTime | null;
    aaguid: string | null;
  };
  trusted_devices: {
    id: string;
    hash: Uint8Array;
    user_id: string;
    user_agent: string;
    address: string;
    created_at: number;
    last_used_at: number;
    expires_at: number;
  };
  verifications: { id: string; identifier: string; value: string; expires_at: DateTime };
  attempts: { key: string; count: number; ends_at: number };
  failed_sign_ins: { account: number; count: number; ends_at: number };
  welcome_codes: { place: number; hash: string; used_by: string | null };
  kept_secrets: { name: string; value: string };
  leases: { name: string; holder: string; expires_at: number };

  webhook_endpoints: {
    id: string;
    account: number;
    url: string;
    /** Separated by spaces; null means all. */
    types: string | null;
    description: string;
    delivery: WebhookDeliveryMode;
    version: string;
    status: WebhookStatus;
    reason: WebhookReason | null;
    failing_since: number | null;
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
    created_at: number;
    updated_at: number;
  };
  webhook_secrets: { endpoint: string; hint: string; sealed: string; created_at: number; expires_at: number | null };
  webhook_retries: { endpoint: string; number: Int64; attempts: number; next_at: number };
  webhook_replays: {
    id: string;
    endpoint: string;
    position: Int64;
    until: Int64;
    types: string | null;
    created_at: number;
  };
  webhook_attempts: {
    endpoint: string;
    /** The sequence number modulo the length of the log. */
    slot: number;
    sequence: number;
    event: string;
    type: string;
    attempt: number;
    status: DeliveryStatus;
    http_status: number | null;
    error: DeliveryError | null;
    ms: number;
    at: number;
    next_at: number | null;
    excerpt: string | null;
  };
  webhook_nodes: { node: string; alive_until: number };

  audit_entries: {
    id: string;
    account: number;
    at: number;
    action: AuditAction;
    actor_kind: AuditActor["kind"];
    actor_id: string;
    actor_name: string;
    target: Optional<string>;
    address: Optional<string>;
    device: Optional<string>;
    request_id: Optional<string>;
    detail: Optional<string>;
  };
  audit_purge: { before: number };
  audit_lines: { id: string };
  mail_queue: {
    id: string;
    mail: string;
    created_at: number;
    next_at: number;
    attempts: number;
    recipient: Optional<string>;
  };
  mail_links: { hash: Uint8Array; purpose: string; user_id: string; email: string; expires_at: number };
}
