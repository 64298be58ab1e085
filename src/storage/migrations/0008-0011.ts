import type { Migrations } from "../engine.ts";

/** The feed of changes, webhooks, the audit log and mail. */
export const migrations: Migrations = {
  /**
   * The feed of changes. A plant at revision 1 is its own created event; `plant_events` has the changes and removals, and
   * the created events of plants that were changed or removed later. `kind` is 0 for created, 1 for changed, 2 for
   * removed. `number_marks` records the last number of each hour, for retention; its row with `at` 0 is the last number
   * that is no longer stored. Plants from before this migration have no complete history, so the feed starts after them.
   */
  "0008-events": ({ int64 }, engine) => [
    `CREATE TABLE plant_events (
      number ${engine === "sqlite" ? "integer PRIMARY KEY" : "bigint NOT NULL"}, account ${int64} NOT NULL,
      kind integer NOT NULL, at ${int64} NOT NULL, plant_id ${int64} NOT NULL,
      name text NOT NULL, tag text, old_name text, old_tag text,
      created_at ${int64} NOT NULL, updated_at ${int64} NOT NULL
      ${engine === "sqlite" ? "" : ", CONSTRAINT plant_events_key PRIMARY KEY (account, number)"}
    )`,
    engine === "sqlite"
      ? "CREATE INDEX plant_events_account ON plant_events (account)"
      : "CREATE INDEX plant_events_number ON plant_events (number)",
    `CREATE TABLE number_marks (at ${int64} PRIMARY KEY, number ${int64} NOT NULL)`,
    engine === "sqlite"
      ? "INSERT INTO number_marks (at, number) SELECT 0, value FROM counters WHERE name = 'plant_number'"
      : "INSERT INTO number_marks (at, number) SELECT 0, CASE WHEN is_called THEN last_value ELSE 0 END FROM plant_number",
  ],

  /**
   * Webhook endpoints, their secrets (sealed), and their deliveries. `position` is the number up to which every event was
   * attempted; only failed events have rows, in `webhook_retries`. The log of an endpoint is a ring of rows, so it never
   * grows. There is no foreign key: an account's rows are removed in slices.
   */
  "0009-webhooks": ({ int64 }) => [
    `CREATE TABLE webhook_endpoints (
      id text PRIMARY KEY, account ${int64} NOT NULL, url text NOT NULL, types text, description text NOT NULL,
      delivery text NOT NULL, version text NOT NULL, status text NOT NULL, reason text, failing_since ${int64},
      failures ${int64} NOT NULL DEFAULT 0, position ${int64} NOT NULL, revision ${int64} NOT NULL DEFAULT 1,
      holder text, held_until ${int64} NOT NULL DEFAULT 0, created_at ${int64} NOT NULL, updated_at ${int64} NOT NULL
    )`,
    "CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account)",
    `CREATE TABLE webhook_secrets (
      endpoint text NOT NULL, hint text NOT NULL, sealed text NOT NULL, created_at ${int64} NOT NULL,
      expires_at ${int64}, CONSTRAINT webhook_secrets_key PRIMARY KEY (endpoint, sealed)
    )`,
    `CREATE TABLE webhook_retries (
      endpoint text NOT NULL, number ${int64} NOT NULL, attempts ${int64} NOT NULL, next_at ${int64} NOT NULL,
      CONSTRAINT webhook_retries_key PRIMARY KEY (endpoint, number)
    )`,
    "CREATE INDEX webhook_retries_due ON webhook_retries (endpoint, next_at)",
    `CREATE TABLE webhook_replays (
      id text PRIMARY KEY, endpoint text NOT NULL, position ${int64} NOT NULL, until ${int64} NOT NULL,
      types text, created_at ${int64} NOT NULL
    )`,
    "CREATE INDEX webhook_replays_endpoint ON webhook_replays (endpoint)",
    `CREATE TABLE webhook_attempts (
      endpoint text NOT NULL, slot ${int64} NOT NULL, sequence ${int64} NOT NULL, event text NOT NULL,
      type text NOT NULL, attempt ${int64} NOT NULL, status text NOT NULL, http_status ${int64}, error text,
      ms ${int64} NOT NULL, at ${int64} NOT NULL, next_at ${int64}, excerpt text,
      CONSTRAINT webhook_attempts_key PRIMARY KEY (endpoint, slot)
    )`,
    `CREATE TABLE webhook_nodes (node text PRIMARY KEY, alive_until ${int64} NOT NULL)`,
  ],

  /**
   * The audit log. Triggers make it append-only: a row is never changed, and is only removed when it is older than the
   * purge mark in `audit_purge`, or when its account is being removed. There is no foreign key: the entry of an account's
   * removal stays.
   */
  "0010-audit": ({ int64 }, engine) => [
    `CREATE TABLE audit_entries (
      id text PRIMARY KEY, account ${int64} NOT NULL, at ${int64} NOT NULL, action text NOT NULL,
      actor_kind text NOT NULL, actor_id text NOT NULL, actor_name text NOT NULL,
      target text, address text, device text, request_id text, detail text
    )`,
    "CREATE INDEX audit_entries_account ON audit_entries (account, id)",
    "CREATE INDEX audit_entries_at ON audit_entries (at)",
    `CREATE TABLE audit_purge (before ${int64} NOT NULL)`,
    "INSERT INTO audit_purge VALUES (0)",
    `CREATE TABLE failed_sign_ins (account ${int64} PRIMARY KEY, count ${int64} NOT NULL, ends_at ${int64} NOT NULL)`,
    "CREATE INDEX failed_sign_ins_end ON failed_sign_ins (ends_at)",
    ...(engine === "sqlite"
      ? [
          `CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
          END`,
          `CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries
          WHEN OLD.at >= (SELECT before FROM audit_purge)
            AND (OLD.action = 'account.deleted' OR NOT EXISTS (SELECT 1 FROM removed_accounts WHERE number = OLD.account))
          BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
          END`,
        ]
      : [
          `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF TG_OP = 'DELETE' AND (
              OLD.at < (SELECT before FROM audit_purge)
              OR OLD.action <> 'account.deleted' AND EXISTS (SELECT 1 FROM removed_accounts WHERE number = OLD.account)
            ) THEN
              RETURN OLD;
            END IF;
            RAISE EXCEPTION 'the audit log is append-only';
          END $$`,
          `CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
          FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
        ]),
  ],

  /**
   * Queued mail, and the links that were mailed, by the SHA-256 of their secrets. A queued message holds no secret.
   * `tokens.expiry_noticed_at` is the time at which the holder was told that the token expires.
   */
  "0011-mail": ({ int64, bytes }) => [
    `CREATE TABLE mail_queue (
      id text PRIMARY KEY, mail text NOT NULL, created_at ${int64} NOT NULL, next_at ${int64} NOT NULL,
      attempts ${int64} NOT NULL
    )`,
    "CREATE INDEX mail_queue_next ON mail_queue (next_at)",
    `CREATE TABLE mail_links (
      hash ${bytes} PRIMARY KEY, purpose text NOT NULL,
      user_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, email text NOT NULL, expires_at ${int64} NOT NULL
    )`,
    "CREATE INDEX mail_links_user ON mail_links (user_id, purpose)",
    `ALTER TABLE tokens ADD COLUMN expiry_noticed_at ${int64}`,
    `CREATE INDEX tokens_end ON tokens (expires_at)
    WHERE session_id IS NULL AND revoked_at IS NULL AND expiry_noticed_at IS NULL`,
  ],
};
