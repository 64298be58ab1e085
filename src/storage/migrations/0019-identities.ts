import type { Migrations } from "../engine.ts";

/** Identities of a provider (OpenID Connect), which stand beside the passwords. */
export const migrations: Migrations = {
  /**
   * A row of `credentials` with another provider than 'credential' is an identity: `provider_id` is its issuer, `account_id`
   * its subject, `email` the address as the provider said it. One person has it.
   */
  "0019-identities": () => [
    "ALTER TABLE credentials ADD COLUMN email text",
    "CREATE UNIQUE INDEX credentials_identity ON credentials (provider_id, account_id) WHERE provider_id <> 'credential'",
  ],
};
