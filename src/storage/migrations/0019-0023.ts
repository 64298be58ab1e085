import type { Migrations } from "../engine.ts";

/** Identities of a provider (OpenID Connect), people of stores, and secrets of sessions. */
export const migrations: Migrations = {
  /**
   * A row of `credentials` with another provider than 'credential' is an identity: `provider_id` is its issuer, `account_id`
   * its subject, `email` the address as the provider said it. One person has it.
   */
  "0019-identities": () => [
    "ALTER TABLE credentials ADD COLUMN email text",
    "CREATE UNIQUE INDEX credentials_identity ON credentials (provider_id, account_id) WHERE provider_id <> 'credential'",
  ],

  /**
   * - `members`: the role of a person (`user_id`) in a store. Without a row a person is the owner of the store that has their
   *   id, so that old accounts need none; the role `none` there means that they have no store of their own.
   * - `invitations`: by the SHA-256 of their secrets.
   * - `accounts.store_name` is the person's name if it is null.
   * - `accounts.emptied_to` is the number up to which the plants of a test store are being removed; null if they are not.
   */
  "0020-people": ({ int64, bytes, flag }) => [
    `CREATE TABLE members (
      account ${int64} NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
      user_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      role text NOT NULL, source text NOT NULL, created_at ${int64} NOT NULL,
      CONSTRAINT members_key PRIMARY KEY (account, user_id)
    )`,
    "CREATE INDEX members_user ON members (user_id)",
    `CREATE TABLE invitations (
      hash ${bytes} PRIMARY KEY, id text NOT NULL UNIQUE,
      account ${int64} NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
      email text NOT NULL, role text NOT NULL, mailed ${flag} NOT NULL, made_by text NOT NULL,
      created_at ${int64} NOT NULL, expires_at ${int64} NOT NULL,
      CONSTRAINT invitations_address UNIQUE (account, email)
    )`,
    "ALTER TABLE tokens ADD COLUMN made_by text",
    "ALTER TABLE accounts ADD COLUMN store_name text",
    `ALTER TABLE accounts ADD COLUMN second_factor_required ${flag}`,
    `ALTER TABLE accounts ADD COLUMN test ${flag}`,
    `ALTER TABLE accounts ADD COLUMN emptied_to ${int64}`,
    "CREATE INDEX accounts_emptied ON accounts (number) WHERE emptied_to IS NOT NULL",
  ],

  /**
   * `sessions.secret_hash` is the SHA-256 of the secret without which the row's `token`, which lies here in clear, opens
   * nothing. It is null in rows that an older version added, which knows the token alone: they last 30 days at most.
   */
  "0023-session-secrets": ({ bytes }) => [`ALTER TABLE sessions ADD COLUMN secret_hash ${bytes}`],
};
