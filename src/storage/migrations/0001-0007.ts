import type { Migrations } from "../engine.ts";
import { OLD_TABLE } from "../sqlite/search-table.ts";

/** Accounts, plants, tokens, sign-in and search on SQLite. */
export const migrations: Migrations = {
  /**
   * Keys lead with the account, so that a sharded PostgreSQL can spread them.
   * PostgreSQL: the key is the primary key, as sharding and logical replication ask for one that holds the account.
   * SQLite: `number` is the rowid, so the index on `account` alone is in fact (account, number).
   */
  "0001-plants-tokens-accounts": ({ int64, bytes, date, flag, serial }, engine) => [
    `CREATE TABLE accounts (
      number ${serial}, id text NOT NULL UNIQUE, name text NOT NULL, email text NOT NULL UNIQUE,
      email_verified ${flag} NOT NULL, image text, created_at ${date} NOT NULL, updated_at ${date} NOT NULL
    )`,
    `CREATE TABLE credentials (
      id text PRIMARY KEY, account_id text NOT NULL, provider_id text NOT NULL,
      user_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      access_token text, refresh_token text, id_token text,
      access_token_expires_at ${date}, refresh_token_expires_at ${date}, scope text, password text,
      created_at ${date} NOT NULL, updated_at ${date} NOT NULL
    )`,
    "CREATE INDEX credentials_user ON credentials (user_id)",
    `CREATE TABLE plants (
      number ${engine === "sqlite" ? "integer PRIMARY KEY" : "bigint NOT NULL"}, account ${int64} NOT NULL,
      id ${int64} NOT NULL, name text NOT NULL, tag text, revision ${int64} NOT NULL DEFAULT 1,
      created_at ${int64} NOT NULL, updated_at ${int64} NOT NULL
      ${engine === "sqlite" ? "" : ", CONSTRAINT plants_key PRIMARY KEY (account, id)"}
    )`,
    `CREATE TABLE plant_counts (
      account ${int64} NOT NULL, slot ${int64} NOT NULL, count ${int64} NOT NULL,
      CONSTRAINT plant_counts_key PRIMARY KEY (account, slot)
    )`,
    ...(engine === "sqlite"
      ? [
          "CREATE UNIQUE INDEX plants_id ON plants (account, id)",
          "CREATE INDEX plants_number ON plants (account)",
          "CREATE TABLE counters (name text PRIMARY KEY, value integer NOT NULL) WITHOUT ROWID",
          "INSERT INTO counters VALUES ('plant_number', 0)",
        ]
      : [
          "CREATE INDEX plants_number ON plants (account, number)",
          "CREATE SEQUENCE plant_number OWNED BY plants.number CACHE 1",
        ]),
    `CREATE TABLE tokens (
      id text PRIMARY KEY, account ${int64} NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
      name text NOT NULL, hash ${bytes} NOT NULL UNIQUE, hint text NOT NULL, scopes text NOT NULL,
      created_at ${int64} NOT NULL, last_used_at ${int64}, expires_at ${int64}, revoked_at ${int64}, session_id text
    )`,
    "CREATE INDEX tokens_account ON tokens (account, created_at)",
    "CREATE INDEX tokens_session ON tokens (session_id)",
    "CREATE TABLE kept_secrets (name text PRIMARY KEY, value text NOT NULL)",
  ],

  /** Sessions, second factors, passkeys, and the counters that slow down guessing. */
  "0002-sign-in": ({ int64, date, flag }) => [
    `ALTER TABLE accounts ADD COLUMN two_factor_enabled ${flag}`,
    `CREATE TABLE sessions (
      id text PRIMARY KEY, token text NOT NULL UNIQUE,
      user_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, expires_at ${date} NOT NULL,
      ip_address text, user_agent text, created_at ${date} NOT NULL, updated_at ${date} NOT NULL
    )`,
    "CREATE INDEX sessions_user ON sessions (user_id)",
    `CREATE TABLE verifications (
      id text PRIMARY KEY, identifier text NOT NULL, value text NOT NULL,
      expires_at ${date} NOT NULL, created_at ${date} NOT NULL, updated_at ${date} NOT NULL
    )`,
    "CREATE INDEX verifications_identifier ON verifications (identifier)",
    `CREATE TABLE second_factors (
      id text PRIMARY KEY, secret text NOT NULL, backup_codes text NOT NULL,
      user_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, verified ${flag}
    )`,
    "CREATE INDEX second_factors_user ON second_factors (user_id)",
    `CREATE TABLE passkeys (
      id text PRIMARY KEY, name text, public_key text NOT NULL,
      user_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      credential_id text NOT NULL UNIQUE, counter integer NOT NULL, device_type text NOT NULL,
      backed_up ${flag} NOT NULL, transports text, created_at ${date}, aaguid text
    )`,
    "CREATE INDEX passkeys_user ON passkeys (user_id)",
    `CREATE TABLE attempts (key text PRIMARY KEY, count ${int64} NOT NULL, ends_at ${int64} NOT NULL)`,
    "CREATE TABLE welcome_codes (place integer PRIMARY KEY, hash text NOT NULL, used_by text)",
  ],

  /** Search on SQLite, and a table that tells, after a crash, which removed accounts still have plants. */
  "0003-search": (_, engine) =>
    engine === "sqlite"
      ? [
          ...OLD_TABLE,
          "INSERT INTO counters VALUES ('plant_indexed', 0)",
          "CREATE TABLE removed_accounts (number integer PRIMARY KEY, removed_at integer NOT NULL)",
          `CREATE TRIGGER accounts_removed AFTER DELETE ON accounts BEGIN
            INSERT OR IGNORE INTO removed_accounts VALUES (OLD.number, CAST(unixepoch('subsec') * 1000 AS integer));
          END`,
        ]
      : [
          "CREATE TABLE removed_accounts (number bigint PRIMARY KEY, removed_at bigint NOT NULL)",
          `CREATE FUNCTION account_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO removed_accounts VALUES (OLD.number, extract(epoch FROM clock_timestamp()) * 1000)
              ON CONFLICT DO NOTHING;
            RETURN OLD;
          END $$`,
          `CREATE TRIGGER accounts_removed AFTER DELETE ON accounts
            FOR EACH ROW EXECUTE FUNCTION account_removed()`,
        ],

  /**
   * Answers counted by account, token and interval. Each answer is counted in its minute and in its hour, under its token
   * and under "" for the whole account, so that every chart reads few rows. `outcome` is 0 for an answer below 400, 1 for
   * a plant created, otherwise the number of the error. There is no foreign key: an account's rows are removed in slices.
   */
  "0004-usage": ({ int64 }) => [
    `CREATE TABLE usage_counts (
      account ${int64} NOT NULL, token text NOT NULL, span text NOT NULL, start ${int64} NOT NULL,
      outcome integer NOT NULL, count ${int64} NOT NULL,
      CONSTRAINT usage_counts_key PRIMARY KEY (account, token, span, start, outcome)
    )`,
    "CREATE INDEX usage_counts_start ON usage_counts (span, start)",
  ],

  /** The rate limit of each token over all nodes. The columns are those of rate-limiter-flexible. */
  "0005-request-counts": (_, engine) =>
    engine === "sqlite"
      ? []
      : [
          `CREATE UNLOGGED TABLE request_counts (
            key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint
          ) WITH (fillfactor = 50)`,
        ],

  /** Leases for jobs that one process at a time may run. */
  "0006-leases": ({ int64 }) => [
    `CREATE TABLE leases (name text PRIMARY KEY, holder text NOT NULL, expires_at ${int64} NOT NULL)`,
  ],

  /**
   * - `accounts.sign_in_epoch` grows with every change of password. A session is only added under the epoch that its
   *   sign-in began with, so a sign-in with the old password does not outlive the change.
   * - `sessions.proof` says how its holder last proved who they are: "sign-in", "asked", or "spent" once a passkey was
   *   added or removed with it.
   * - Rows that have expired are removed in batches, by an index of their ends.
   */
  "0007-proofs-and-devices": ({ int64, bytes, flag }) => [
    `ALTER TABLE accounts ADD COLUMN sign_in_epoch ${int64} NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN remembered ${flag}`,
    `ALTER TABLE sessions ADD COLUMN proved_at ${int64}`,
    "ALTER TABLE sessions ADD COLUMN proof text",
    `CREATE TABLE trusted_devices (
      id text PRIMARY KEY, hash ${bytes} NOT NULL UNIQUE,
      user_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, user_agent text NOT NULL, address text NOT NULL,
      created_at ${int64} NOT NULL, last_used_at ${int64} NOT NULL, expires_at ${int64} NOT NULL
    )`,
    "CREATE INDEX trusted_devices_user ON trusted_devices (user_id)",
    "CREATE INDEX trusted_devices_end ON trusted_devices (expires_at)",
    "CREATE INDEX tokens_session_end ON tokens (expires_at) WHERE session_id IS NOT NULL",
  ],
};
