import type { Migrations } from "../engine.ts";

export const migrations: Migrations = {
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
};
