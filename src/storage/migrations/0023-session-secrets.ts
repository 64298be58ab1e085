import type { Migrations } from "../engine.ts";

export const migrations: Migrations = {
  /**
   * `sessions.secret_hash` is the SHA-256 of the secret without which the row's `token`, which lies here in clear, opens
   * nothing. It is null in rows that an older version added, which knows the token alone: they last 30 days at most.
   */
  "0023-session-secrets": ({ bytes }) => [`ALTER TABLE sessions ADD COLUMN secret_hash ${bytes}`],
};
