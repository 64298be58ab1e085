import { COLUMN_TYPES, type Engine } from "../engine.ts";
import {
  EVENT_INDEXES,
  IMPORT_INDEX,
  keepCreators,
  PLANTS_ON_POSTGRES,
  peopleAndStores,
  schemaTable,
  searchedTags,
} from "./tables.ts";

/**
 * The statements that bring the last schema before people and stores were apart to the tables of `tables.ts`. There a row of
 * `accounts` was a store and the person who made it, in one:
 * - Nobody signed in by a row with the address `store-N@detached.invalid`: its person had left, with a row of their own that
 *   has the same time of creation, or it was made for a store alone.
 * - That person was the owner without a row of `members`. One with the role `none` said that they were not.
 * The plants and what else is stored by the number of an account are not touched.
 */
export function fromAccounts(engine: Engine): readonly string[] {
  return [
    ...COPIED.flatMap((table) => [`CREATE TABLE old_${table} AS SELECT * FROM ${table}`, `DROP TABLE ${table}`]),
    ...(engine === "sqlite" ? [] : ["DROP FUNCTION refuse_audit_change", "DROP FUNCTION refuse_audit_truncate"]),
    `CREATE TABLE old_makers AS SELECT ${milliseconds(OF_MIGRATION[engine], engine)} AS noted_from
    FROM migrations WHERE name = '0020-people'`,
    ...["sessions", "verifications", "migrations", "migration_lock"].map((table) => `DROP TABLE ${table}`),
    schemaTable,
    ...peopleAndStores(COLUMN_TYPES[engine], engine),
    ...founders,
    ...stores(engine),
    ...people(engine),
    ...members(engine),
    ...tokens,
    ...auditEntries,
    ...queuedMail[engine],
    ...[...COPIED.map((table) => `old_${table}`), "old_founders", "old_makers"].map((table) => `DROP TABLE ${table}`),
    ...["credentials", "second_factors", "accounts", "webhook_nodes"].map((table) => `DROP TABLE ${table}`),
    searchedTags(COLUMN_TYPES[engine].int64),
    "ALTER TABLE plant_events ADD COLUMN actor text",
    "ALTER TABLE plant_event_actors ADD COLUMN import text",
    IMPORT_INDEX,
    ...(engine === "sqlite" ? [] : ["DROP FUNCTION keep_creators", keepCreators()]),
    ...(engine === "sqlite"
      ? searchOnSqlite
      : [
          ...searchOnPostgres,
          "DROP FUNCTION account_removed",
          "DROP INDEX IF EXISTS plant_events_number",
          `ALTER TABLE plants SET (${PLANTS_ON_POSTGRES})`,
          ...eventIndexes,
        ]),
  ];
}

/** The triggers on SQLite that the new tables have no more, or in other words, by their names and tables. */
export const FORMER_TRIGGERS = [
  [
    "accounts_removed",
    "accounts",
    `CREATE TRIGGER accounts_removed AFTER DELETE ON accounts BEGIN
      INSERT OR IGNORE INTO removed_accounts VALUES (OLD.number, CAST(unixepoch('subsec') * 1000 AS integer));
    END`,
  ],
  [
    "audit_entries_kept",
    "audit_entries",
    `CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries
    WHEN OLD.at >= (SELECT before FROM audit_purge)
      AND (OLD.action = 'account.deleted' OR NOT EXISTS (SELECT 1 FROM removed_accounts WHERE number = OLD.account))
    BEGIN
      SELECT RAISE(ABORT, 'the audit log is append-only');
    END`,
  ],
] as const;

/** The tables whose names the new ones take. */
const COPIED = [
  ...["members", "invitations", "tokens", "passkeys", "trusted_devices", "mail_links", "failed_sign_ins"],
  "audit_entries",
];

/** The role `none` of a row's person in the row's store. */
const isWithoutStore = `EXISTS (
  SELECT 1 FROM old_members WHERE account = accounts.number AND user_id = accounts.id AND role = 'none')`;
const hasOfStore = [
  "old_members WHERE role <> 'none' AND account = accounts.number",
  "plants WHERE account = accounts.number",
  "webhook_endpoints WHERE account = accounts.number",
  "old_invitations WHERE account = accounts.number",
  "old_tokens WHERE session_id IS NULL AND account = accounts.number",
]
  .map((rows) => `EXISTS (SELECT 1 FROM ${rows})`)
  .join(" OR ");

/**
 * `old_founders` says of each row of `accounts` whether somebody signs in by it, whether it is a store, and who made that
 * (`person`; null where nobody knows).
 */
const founders = [
  "CREATE INDEX old_accounts_created ON accounts (created_at)",
  "CREATE INDEX old_members_account ON old_members (account)",
  "CREATE INDEX old_tokens_account ON old_tokens (account)",
  `CREATE TABLE old_founders AS
  WITH found AS (
    SELECT number AS account, id, created_at, email <> ('store-' || number || '@detached.invalid') AS is_person,
      NOT ${isWithoutStore} AS is_owner, ${hasOfStore} AS has_of_store
    FROM accounts
  )
  SELECT account, id, is_person, is_person AND is_owner AS is_owner, NOT is_person OR is_owner OR has_of_store AS is_store,
    CASE WHEN is_person THEN id ELSE (
      SELECT CASE WHEN count(*) = 1 THEN min(later.id) END FROM accounts AS later
      WHERE later.created_at = found.created_at AND later.number > found.account AND later.email NOT LIKE '%@detached.invalid'
    ) END AS person
  FROM found`,
  "CREATE UNIQUE INDEX old_founders_account ON old_founders (account)",
  "CREATE UNIQUE INDEX old_founders_id ON old_founders (id)",
];

const OF_MIGRATION: Readonly<Record<Engine, string>> = { sqlite: "timestamp", postgres: "timestamp::timestamptz" };

function milliseconds(column: string, engine: Engine): string {
  return engine === "sqlite"
    ? `CAST(round(unixepoch(${column}, 'subsec') * 1000) AS integer)`
    : `round(extract(epoch FROM ${column}) * 1000)::bigint`;
}

/** No number of a removed store is given out again. */
function stores(engine: Engine): readonly string[] {
  return [
    `INSERT INTO stores (number, id, name, second_factor_required, test, emptied_to, created_at)
    SELECT number, id, coalesce(store_name, name), coalesce(second_factor_required, false), coalesce(test, false), emptied_to,
      ${milliseconds("created_at", engine)}
    FROM accounts WHERE number IN (SELECT account FROM old_founders WHERE is_store) ORDER BY number`,
    ...(engine === "sqlite"
      ? [
          "DELETE FROM sqlite_sequence WHERE name = 'stores'",
          "INSERT INTO sqlite_sequence (name, seq) SELECT 'stores', seq FROM sqlite_sequence WHERE name = 'accounts'",
        ]
      : [
          `SELECT setval(pg_get_serial_sequence('stores', 'number'), last, true) FROM (
            SELECT pg_sequence_last_value(pg_get_serial_sequence('accounts', 'number')::regclass) AS last
          ) AS given WHERE last IS NOT NULL`,
        ]),
  ];
}

/** People with what they sign in by. A second factor in effect had its mark in the person's row and a verified row. */
function people(engine: Engine): readonly string[] {
  const time = (column: string) => milliseconds(column, engine);
  const factor = (isVerified: string) => `(
    SELECT min(id) FROM second_factors WHERE user_id = accounts.id AND ${isVerified} coalesce(verified, true))`;
  const isPerson = (column: string) => `${column} IN (SELECT id FROM people)`;
  return [
    `INSERT INTO people (id, email, name, email_verified, password, second_factor, backup_codes, pending_second_factor,
      pending_backup_codes, sign_in_epoch, created_at)
    SELECT accounts.id, accounts.email, accounts.name, email_verified, (
        SELECT min(password) FROM credentials WHERE user_id = accounts.id AND provider_id = 'credential'
      ), own.secret, own.backup_codes, pending.secret, pending.backup_codes, sign_in_epoch, ${time("accounts.created_at")}
    FROM accounts
    LEFT JOIN second_factors AS own ON coalesce(two_factor_enabled, false) AND own.id = ${factor("")}
    LEFT JOIN second_factors AS pending ON pending.id = ${factor("NOT")}
    WHERE accounts.number IN (SELECT account FROM old_founders WHERE is_person) ORDER BY accounts.number`,
    `INSERT INTO identities (id, person, issuer, subject, email, created_at, last_used_at)
    SELECT id, user_id, provider_id, account_id, coalesce(email, ''), ${time("created_at")}, ${time("updated_at")}
    FROM credentials WHERE provider_id <> 'credential' AND ${isPerson("user_id")}`,
    // An unsigned count was stored in a signed integer of 32 bits.
    `INSERT INTO passkeys (id, person, name, credential_id, public_key, counter, device_type, backed_up, transports, aaguid,
      created_at)
    SELECT id, user_id, coalesce(name, ''), credential_id, public_key,
      CASE WHEN counter < 0 THEN counter + 4294967296 ELSE counter END, device_type, backed_up, coalesce(transports, ''),
      coalesce(aaguid, ''), coalesce(${time("created_at")}, 0)
    FROM old_passkeys WHERE ${isPerson("user_id")}`,
    `INSERT INTO trusted_devices (id, hash, person, user_agent, address, created_at, last_used_at, expires_at)
    SELECT id, hash, user_id, user_agent, address, created_at, last_used_at, expires_at
    FROM old_trusted_devices WHERE ${isPerson("user_id")}`,
    `INSERT INTO mail_links (hash, purpose, person, email, expires_at)
    SELECT hash, purpose, user_id, email, expires_at FROM old_mail_links WHERE ${isPerson("user_id")}`,
    `INSERT INTO failed_sign_ins (person, count, ends_at) SELECT id, count, ends_at
    FROM old_failed_sign_ins JOIN old_founders USING (account) WHERE is_person`,
  ];
}

/** Founders get their rows. An invitation by the operator has no maker. */
function members(engine: Engine): readonly string[] {
  return [
    `INSERT INTO members (store, person, role, source, joined_at)
    SELECT account, user_id, role, source, created_at FROM old_members
    WHERE role <> 'none' AND user_id IN (SELECT id FROM people) AND account IN (SELECT number FROM stores)`,
    `INSERT INTO members (store, person, role, source, joined_at)
    SELECT number, accounts.id, 'owner', 'hand', ${milliseconds("accounts.created_at", engine)}
    FROM accounts JOIN old_founders ON account = number
    WHERE is_owner AND NOT EXISTS (
      SELECT 1 FROM members WHERE store = accounts.number AND person = accounts.id)`,
    `INSERT INTO invitations (hash, id, account, email, role, mailed, made_by, created_at, expires_at)
    SELECT hash, id, account, email, role, mailed, nullif(made_by, ''), created_at, expires_at FROM old_invitations`,
  ];
}

/**
 * The tokens of pages end. A token without a maker is the operator's, by the audit log or since makers were noted; one from
 * before is the founder's. A maker who had left the store that they made is named by the id that they have since.
 */
const tokens = [
  "CREATE INDEX old_audit_entries_target ON old_audit_entries (target)",
  `INSERT INTO tokens (id, account, name, hash, hint, scopes, made_by, created_at, last_used_at, expires_at,
    expiry_noticed_at, revoked_at)
  SELECT id, account, name, hash, hint, scopes, CASE
      WHEN made_by IS NOT NULL THEN coalesce((SELECT person FROM old_founders WHERE id = made_by), made_by)
      WHEN created_at >= (SELECT noted_from FROM old_makers) OR EXISTS (
        SELECT 1 FROM old_audit_entries WHERE target = old_tokens.id AND action = 'token.created' AND actor_kind = 'operator'
      ) THEN NULL
      ELSE (SELECT person FROM old_founders WHERE account = old_tokens.account)
    END, created_at, last_used_at, expires_at, expiry_noticed_at, revoked_at
  FROM old_tokens WHERE session_id IS NULL`,
];

const SIGN_IN_NOUNS = ["sign_in", "session", "password", "second_factor", "passkey", "identity"];
/** True for an entry about a person's own sign-in, name or address. Both stood in the log of one account. */
const isOfPerson = `(
  ${SIGN_IN_NOUNS.map((noun) => `action LIKE '${noun}.%'`).join(" OR ")} OR action = 'account.created'
  OR action = 'account.deleted' AND detail LIKE '%"email":%'
  OR action = 'settings.changed' AND detail NOT LIKE '%"store_name":%' AND detail NOT LIKE '%"second_factor_required":%'
)`;

/**
 * Entries about a person who has left the store, and whose row is not known, are of nobody who signs in: no owner of the store
 * reads them. Those of removed accounts were about to go, but for the entry of the removal.
 */
const auditEntries = [
  `INSERT INTO audit_entries (id, account, person, at, action, actor_kind, actor_id, actor_name, target, address, device,
    request_id, detail)
  SELECT id, CASE WHEN person IS NULL THEN account END, person, at, action, actor_kind, actor_id, actor_name, target, address,
    device, request_id, detail
  FROM (
    SELECT old.*, CASE WHEN ${isOfPerson} THEN coalesce(founder.person, founder.id, target) END AS person
    FROM old_audit_entries AS old LEFT JOIN old_founders AS founder ON founder.account = old.account
    WHERE founder.account IS NOT NULL OR action = 'account.deleted'
  ) AS entries ORDER BY id`,
];

/** Queued mail named a person by the number of their account; a notice that names a store was one for its owners. */
const queuedMail: Readonly<Record<Engine, readonly string[]>> = {
  sqlite: [
    `UPDATE mail_queue SET mail = json_set(json_remove(mail, '$.account'), '$.person', (
      SELECT id FROM old_founders WHERE is_person AND account = json_extract(mail, '$.account')
    )) WHERE json_extract(mail, '$.account') IS NOT NULL`,
    "UPDATE mail_queue SET mail = json_set(mail, '$.forOwners', json('true')) WHERE json_extract(mail, '$.store') IS NOT NULL",
    "DELETE FROM mail_queue WHERE json_type(mail, '$.person') = 'null'",
  ],
  postgres: [
    `UPDATE mail_queue SET mail = (mail::jsonb - 'account' || jsonb_build_object('person', (
      SELECT id FROM old_founders WHERE is_person AND account = (mail::jsonb ->> 'account')::bigint
    )))::text WHERE mail::jsonb ? 'account'`,
    `UPDATE mail_queue SET mail = (mail::jsonb || '{"forOwners": true}')::text WHERE mail::jsonb ? 'store'`,
    "DELETE FROM mail_queue WHERE jsonb_typeof(mail::jsonb -> 'person') = 'null'",
  ],
};

/**
 * The index has names in a form that is searched no more, so the indexer makes it anew. It also removes the ranges, which
 * are left without plants, step by step. A version before search ranges had a table of its own.
 */
const searchOnSqlite = [
  "UPDATE plant_search_ranges SET first = 1, last = 0, until = 0, state = 'whole'",
  "DELETE FROM plant_search_changes",
  "DELETE FROM counters WHERE name = 'plant_indexed'",
  "DROP TABLE plant_search",
];

const searchOnPostgres = ["TRUNCATE plant_search, plant_search_changes, plant_search_marks"];

/** A job made these indexes where there were many events, and may not have come to it. */
const eventIndexes = Object.entries(EVENT_INDEXES.postgres).map(
  ([name, on]) => `DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('${name}') AND indisvalid) THEN
      DROP INDEX IF EXISTS ${name};
      CREATE INDEX ${name} ON ${on};
    END IF;
  END $$`,
);
