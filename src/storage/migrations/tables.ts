import { COLUMN_TYPES, type Engine } from "../engine.ts";

type Types = (typeof COLUMN_TYPES)[Engine];

/** The statements that make all tables in an empty database. `schema.ts` has their types. */
export function allTables(engine: Engine): readonly string[] {
  const types = COLUMN_TYPES[engine];
  return [
    ...peopleAndStores(types, engine),
    ...plants(types, engine),
    ...events(types, engine),
    searchedTags(types.int64),
    ...(engine === "sqlite" ? SEARCH_ON_SQLITE : SEARCH_ON_POSTGRES),
    ...webhooks(types),
    ...figures(types),
    ...(engine === "sqlite" ? [] : REQUESTS_ON_POSTGRES),
    ...service(types),
  ];
}

/**
 * People, stores, and all tables that refer to them. A store's `number` is the `account` of every other table; the tables of
 * plants have no foreign key, since their rows are removed in slices.
 */
export function peopleAndStores(types: Types, engine: Engine): readonly string[] {
  const { int64, bytes, flag, serial } = types;
  const person = "person text NOT NULL REFERENCES people (id) ON DELETE CASCADE";
  const account = `account ${int64} NOT NULL REFERENCES stores (number) ON DELETE CASCADE`;
  return [
    `CREATE TABLE people (
      id text PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, email_verified ${flag} NOT NULL, password text,
      second_factor text, backup_codes text, pending_second_factor text, pending_backup_codes text,
      sign_in_epoch ${int64} NOT NULL DEFAULT 0, suspended_at ${int64}, created_at ${int64} NOT NULL
    )`,
    `CREATE TABLE stores (
      number ${serial}, id text NOT NULL UNIQUE, name text NOT NULL, second_factor_required ${flag} NOT NULL DEFAULT false,
      test ${flag} NOT NULL DEFAULT false, emptied_to ${int64}, suspended_at ${int64}, suspension_reason text,
      created_at ${int64} NOT NULL
    )`,
    "CREATE INDEX stores_suspended ON stores (number) WHERE suspended_at IS NOT NULL",
    "CREATE INDEX stores_emptied ON stores (number) WHERE emptied_to IS NOT NULL",
    `CREATE TABLE members (
      store ${int64} NOT NULL REFERENCES stores (number) ON DELETE CASCADE, ${person},
      role text NOT NULL, source text NOT NULL, joined_at ${int64} NOT NULL, CONSTRAINT members_key PRIMARY KEY (store, person)
    )`,
    "CREATE INDEX members_person ON members (person)",
    `CREATE TABLE imports (
      id text PRIMARY KEY, ${account}, at ${int64} NOT NULL, actor text NOT NULL, file_name text NOT NULL,
      created ${int64} NOT NULL DEFAULT 0, updated ${int64} NOT NULL DEFAULT 0, undo_state text, undo text
    )`,
    "CREATE INDEX imports_account ON imports (account, at)",
    "CREATE INDEX imports_at ON imports (at)",
    "CREATE INDEX imports_undone ON imports (id) WHERE undo_state = 'running'",
    `CREATE TABLE invitations (
      hash ${bytes} PRIMARY KEY, id text NOT NULL UNIQUE, ${account}, email text NOT NULL, role text NOT NULL,
      mailed ${flag} NOT NULL, made_by text, created_at ${int64} NOT NULL, expires_at ${int64} NOT NULL,
      CONSTRAINT invitations_address UNIQUE (account, email)
    )`,
    `CREATE TABLE tokens (
      id text PRIMARY KEY, ${account}, name text NOT NULL, hash ${bytes} NOT NULL UNIQUE, hint text NOT NULL,
      scopes text NOT NULL, made_by text, created_at ${int64} NOT NULL, last_used_at ${int64}, expires_at ${int64},
      expiry_noticed_at ${int64}, revoked_at ${int64}
    )`,
    "CREATE INDEX tokens_account ON tokens (account, created_at)",
    "CREATE INDEX tokens_made_by ON tokens (made_by)",
    "CREATE INDEX tokens_end ON tokens (expires_at) WHERE revoked_at IS NULL AND expiry_noticed_at IS NULL",
    `CREATE TABLE identities (
      id text PRIMARY KEY, ${person}, issuer text NOT NULL, subject text NOT NULL, email text NOT NULL,
      created_at ${int64} NOT NULL, last_used_at ${int64} NOT NULL, CONSTRAINT identities_key UNIQUE (issuer, subject)
    )`,
    "CREATE INDEX identities_person ON identities (person)",
    `CREATE TABLE sessions (
      id text PRIMARY KEY, hash ${bytes} NOT NULL UNIQUE, ${person}, address text NOT NULL, user_agent text NOT NULL,
      remembered ${flag} NOT NULL, proof text NOT NULL, proved_at ${int64} NOT NULL, created_at ${int64} NOT NULL,
      last_seen_at ${int64} NOT NULL, expires_at ${int64} NOT NULL
    )`,
    "CREATE INDEX sessions_person ON sessions (person)",
    "CREATE INDEX sessions_end ON sessions (expires_at)",
    `CREATE TABLE passkeys (
      id text PRIMARY KEY, ${person}, name text NOT NULL, credential_id text NOT NULL UNIQUE, public_key text NOT NULL,
      counter ${int64} NOT NULL, device_type text NOT NULL, backed_up ${flag} NOT NULL, transports text NOT NULL,
      aaguid text NOT NULL, created_at ${int64} NOT NULL
    )`,
    "CREATE INDEX passkeys_person ON passkeys (person)",
    `CREATE TABLE trusted_devices (
      id text PRIMARY KEY, hash ${bytes} NOT NULL UNIQUE, ${person}, user_agent text NOT NULL, address text NOT NULL,
      created_at ${int64} NOT NULL, last_used_at ${int64} NOT NULL, expires_at ${int64} NOT NULL
    )`,
    "CREATE INDEX trusted_devices_person ON trusted_devices (person)",
    "CREATE INDEX trusted_devices_end ON trusted_devices (expires_at)",
    `CREATE TABLE mail_links (
      hash ${bytes} PRIMARY KEY, purpose text NOT NULL, ${person}, email text NOT NULL, expires_at ${int64} NOT NULL
    )`,
    "CREATE INDEX mail_links_person ON mail_links (person, purpose)",
    `CREATE TABLE failed_sign_ins (
      person text PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE, count ${int64} NOT NULL, ends_at ${int64} NOT NULL
    )`,
    "CREATE INDEX failed_sign_ins_end ON failed_sign_ins (ends_at)",
    ...auditLog(types, engine),
    ...(engine === "sqlite" ? REMOVED_STORES_ON_SQLITE : REMOVED_STORES_ON_POSTGRES),
  ];
}

/**
 * The audit log. An entry belongs to a store (`account`) or to a person, never to both; no foreign key ends it with them.
 * Triggers make it append-only: a row is never changed, and is only removed when it is older than the mark in `audit_purge`,
 * or when its person has been removed, but for the entry of that removal. On SQLite, REPLACE would remove a row without a
 * trigger's consent, by its key or its rowid, which is below zero here if the statement does not give it. On PostgreSQL,
 * TRUNCATE may remove only what DELETE may.
 */
function auditLog({ int64 }: Types, engine: Engine): readonly string[] {
  const isKept = `OLD.at >= (SELECT before FROM audit_purge)
    AND (OLD.person IS NULL OR OLD.action = 'account.deleted' OR EXISTS (SELECT 1 FROM people WHERE id = OLD.person))`;
  return [
    `CREATE TABLE audit_entries (
      id text PRIMARY KEY, account ${int64}, person text, at ${int64} NOT NULL, action text NOT NULL,
      actor_kind text NOT NULL, actor_id text NOT NULL, actor_name text NOT NULL,
      target text, address text, device text, request_id text, detail text,
      CONSTRAINT audit_entries_of_one CHECK ((account IS NULL) <> (person IS NULL))
    )`,
    "CREATE INDEX audit_entries_account ON audit_entries (account, id)",
    "CREATE INDEX audit_entries_person ON audit_entries (person, id)",
    "CREATE INDEX audit_entries_at ON audit_entries (at)",
    "CREATE INDEX audit_entries_deleted ON audit_entries (person) WHERE action = 'account.deleted' AND person IS NOT NULL",
    ...(engine === "sqlite"
      ? [
          `CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
          END`,
          `CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries WHEN ${isKept} BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
          END`,
          `CREATE TRIGGER audit_entries_not_replaced BEFORE INSERT ON audit_entries
          WHEN EXISTS (SELECT 1 FROM audit_entries WHERE id = NEW.id OR rowid = NEW.rowid) BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
          END`,
        ]
      : [
          `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF TG_OP = 'DELETE' AND NOT (${isKept}) THEN
              RETURN OLD;
            END IF;
            RAISE EXCEPTION 'the audit log is append-only';
          END $$`,
          `CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
          FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
          `CREATE FUNCTION refuse_audit_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF EXISTS (SELECT 1 FROM audit_entries WHERE at >= coalesce((SELECT max(before) FROM audit_purge), 0)) THEN
              RAISE EXCEPTION 'the audit log is append-only';
            END IF;
            RETURN NULL;
          END $$`,
          `CREATE TRIGGER audit_entries_not_truncated BEFORE TRUNCATE ON audit_entries
          FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_truncate()`,
        ]),
  ];
}

/** A trigger notes each removed store, so that a sweep finds, also after a crash, what of it no foreign key removes. */
const REMOVED_STORES_ON_SQLITE = [
  `CREATE TRIGGER stores_removed AFTER DELETE ON stores BEGIN
    INSERT OR IGNORE INTO removed_accounts VALUES (OLD.number, CAST(unixepoch('subsec') * 1000 AS integer));
  END`,
];
const REMOVED_STORES_ON_POSTGRES = [
  `CREATE FUNCTION store_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO removed_accounts VALUES (OLD.number, extract(epoch FROM clock_timestamp()) * 1000) ON CONFLICT DO NOTHING;
    RETURN OLD;
  END $$`,
  "CREATE TRIGGER stores_removed AFTER DELETE ON stores FOR EACH ROW EXECUTE FUNCTION store_removed()",
];

/**
 * PostgreSQL takes a table without statistics for ten pages, and so searches the index for each plant of a batch. With those of
 * a smaller one its plans would scan the table, which may have grown since.
 */
export const PLANTS_ON_POSTGRES = ["analyze", "vacuum", "vacuum_insert"]
  .map((kind) => `autovacuum_${kind}_threshold = 2000`)
  .join(", ");

/**
 * Keys lead with the account, since every query is for one.
 * PostgreSQL: the key is the primary key, as sharding and logical replication ask for one that holds the account.
 * SQLite: `number` is the rowid, so the index on `account` alone is in fact (account, number).
 */
function plants({ int64 }: Types, engine: Engine): readonly string[] {
  return [
    `CREATE TABLE plants (
      number ${engine === "sqlite" ? "integer PRIMARY KEY" : "bigint NOT NULL"}, account ${int64} NOT NULL,
      id ${int64} NOT NULL, name text NOT NULL, tag text, revision ${int64} NOT NULL DEFAULT 1,
      created_at ${int64} NOT NULL, updated_at ${int64} NOT NULL
      ${engine === "sqlite" ? "" : ", CONSTRAINT plants_key PRIMARY KEY (account, id)"}
    )${engine === "sqlite" ? "" : ` WITH (${PLANTS_ON_POSTGRES})`}`,
    `CREATE TABLE plant_counts (
      account ${int64} NOT NULL, slot ${int64} NOT NULL, count ${int64} NOT NULL,
      CONSTRAINT plant_counts_key PRIMARY KEY (account, slot)
    )`,
    `CREATE TABLE removed_accounts (number ${int64} PRIMARY KEY, removed_at ${int64} NOT NULL)`,
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
  ];
}

/**
 * The indexes of `plant_events`, by name: the events of one plant, and the removals. Creates write neither. On PostgreSQL none
 * has all events of all stores by number, since that would be a fifth of a change.
 */
export const EVENT_INDEXES = {
  sqlite: {
    plant_events_plant: "plant_events (account, plant_id, number)",
    plant_events_removed: "plant_events (account, number) WHERE kind = 2",
  },
  // The sum keeps PostgreSQL from an index that has the events of all kinds or accounts in the same order.
  postgres: {
    plant_events_plant: "plant_events (account, plant_id, number)",
    plant_events_removals: "plant_events (account, (number + 0)) WHERE kind = 2",
    plant_events_removal: "plant_events (number) WHERE kind = 2",
  },
} as const;

/** The events of each import. Writes that belong to none are not in it. */
export const IMPORT_INDEX =
  "CREATE INDEX plant_event_actors_import ON plant_event_actors (account, import, number) WHERE import IS NOT NULL";

/**
 * The feed of changes. A plant at revision 1 is its own created event; `plant_events` has the changes and removals, and the
 * created events of plants that were changed or removed later. `kind` is 0 for created, 1 for changed, 2 for removed.
 * `actor` is who did a change or a removal, in the form of `core/event-actor.ts`. `plant_event_actors` has the same, by the
 * event's number, for the created event of a plant that a person created, for what an import by a page did, which `import`
 * marks (`core/import.ts`), and for changes from before there was the column.
 * `number_marks` records the last number of each hour, for retention; its row with `at` 0 is the last number that is no
 * longer stored, that with -1 the last one from before actors were recorded.
 */
function events({ int64 }: Types, engine: Engine): readonly string[] {
  const number = engine === "sqlite" ? "integer" : "bigint";
  return [
    `CREATE TABLE plant_events (
      number ${engine === "sqlite" ? "integer PRIMARY KEY" : "bigint NOT NULL"}, account ${int64} NOT NULL,
      kind integer NOT NULL, at ${int64} NOT NULL, plant_id ${int64} NOT NULL,
      name text NOT NULL, tag text, old_name text, old_tag text,
      created_at ${int64} NOT NULL, updated_at ${int64} NOT NULL, actor text
      ${engine === "sqlite" ? "" : ", CONSTRAINT plant_events_key PRIMARY KEY (account, number)"}
    )`,
    ...(engine === "sqlite" ? ["CREATE INDEX plant_events_account ON plant_events (account)"] : []),
    ...Object.entries(EVENT_INDEXES[engine]).map(([name, on]) => `CREATE INDEX ${name} ON ${on}`),
    `CREATE TABLE plant_event_actors (number ${number} PRIMARY KEY, account ${int64} NOT NULL, actor text NOT NULL, import text)`,
    "CREATE INDEX plant_event_actors_account ON plant_event_actors (account)",
    IMPORT_INDEX,
    `CREATE TABLE number_marks (at ${int64} PRIMARY KEY, number ${int64} NOT NULL)`,
    "INSERT INTO number_marks (at, number) VALUES (0, 0), (-1, 0)",
    ...(engine === "sqlite" ? [] : EVENTS_ON_POSTGRES),
  ];
}

/** Records who created the plants that its transaction has written, and the imports to which they belong. */
export function keepCreators(): string {
  return `CREATE FUNCTION keep_creators(accounts bigint[], ids bigint[], actors text[], imports text[])
  RETURNS boolean LANGUAGE plpgsql VOLATILE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  BEGIN
    INSERT INTO plant_event_actors (number, account, actor, import)
    SELECT plants.number, plants.account, given.actor, given.import
    FROM unnest(accounts, ids, actors, imports) AS given (account, id, actor, import)
    JOIN plants ON plants.account = given.account AND plants.id = given.id
    WHERE given.actor IS NOT NULL AND plants.xmin = pg_current_xact_id()::xid;
    RETURN true;
  END $$`;
}

/**
 * `last_removal` has the number of the removal that drew its number last, committed or not. `renumber_plants` is called by a
 * create that saw it change. Of the plants that its transaction has written, it gives those a new number whose ids were
 * removed under a number above theirs, and times that are not before the removal; `after` is below all of these numbers. Its
 * queries see what was committed since the statement began. They read by index whatever the statistics say, since a create
 * must not wait for a scan.
 */
const EVENTS_ON_POSTGRES = [
  "CREATE SEQUENCE last_removal MINVALUE 0",
  "SELECT setval('last_removal', 0)",
  `CREATE FUNCTION renumber_plants(after bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE
  SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
  DECLARE removal record;
  BEGIN
    FOR removal IN
      SELECT account, plant_id, number, at FROM plant_events WHERE number > coalesce(after, 0) AND kind = 2 ORDER BY number
    LOOP
      UPDATE plants SET number = nextval('plant_number'),
        created_at = greatest(created_at, removal.at), updated_at = greatest(updated_at, removal.at)
      WHERE account = removal.account AND id = removal.plant_id AND number < removal.number
        AND xmin = pg_current_xact_id()::xid;
    END LOOP;
    RETURN true;
  END $$`,
  keepCreators(),
];

/** How many indexed plants of an account have which tag; see `tag-counts.ts`. */
export function searchedTags(int64: string): string {
  return `CREATE TABLE plant_search_tags (
    account ${int64} NOT NULL, kind text NOT NULL, tag text NOT NULL, count ${int64} NOT NULL,
    PRIMARY KEY (account, kind, tag)
  )`;
}

/**
 * The search index in ranges of insertion numbers, each a table `plant_search_<range>` of its own. One has the plants from
 * `first` to `last`, none if that is less, and may grow to `until`. Its `state` is "filling", "merging" (into a single
 * segment) or "whole". `writes` counts the transactions since the last merge, `dropped` the changed and removed plants since
 * the last whole one. `plant_search_changes` has indexed plants as the index knows them, which were changed or removed
 * since; triggers note them.
 */
const SEARCH_ON_SQLITE = [
  `CREATE TABLE plant_search_ranges (
    range integer PRIMARY KEY, first integer NOT NULL, last integer NOT NULL, until integer NOT NULL,
    state text NOT NULL, plants integer NOT NULL DEFAULT 0, dropped integer NOT NULL DEFAULT 0,
    writes integer NOT NULL DEFAULT 0
  )`,
  "CREATE INDEX plant_search_ranges_last ON plant_search_ranges (last)",
  "CREATE TABLE plant_search_changes (number integer PRIMARY KEY, account integer NOT NULL, name text NOT NULL, tag text)",
  ...["UPDATE OF name, tag", "DELETE"].map(
    (change, at) => `CREATE TRIGGER plants_${["changed", "removed"][at]} AFTER ${change} ON plants
    WHEN OLD.number <= (SELECT max(last) FROM plant_search_ranges) BEGIN
      INSERT OR IGNORE INTO plant_search_changes VALUES (OLD.number, OLD.account, OLD.name, OLD.tag);
    END`,
  ),
];

/**
 * The search index, filled behind the creates:
 * - `plant_search`: a row for each indexed plant. `text` is the form of its name that is searched, null for a name too long
 *   to index; `tag_hash` stands for the tag, since a tag may be too long for an index.
 * - `plant_search_marks`: up to which plant number an account is indexed, and since when it is marked at all.
 * - `plant_search_changes`: plants of marked accounts that were changed or removed, until the index has followed.
 * The trigram index needs an extension, and is made at the start of the service where that is allowed.
 */
const SEARCH_ON_POSTGRES = [
  `CREATE TABLE plant_search (
    account bigint NOT NULL, number bigint NOT NULL, id bigint NOT NULL, text text, tag_hash integer,
    PRIMARY KEY (account, number)
  )`,
  "CREATE INDEX plant_search_tag ON plant_search (account, tag_hash, id) WHERE tag_hash IS NOT NULL",
  "CREATE INDEX plant_search_long ON plant_search (account, id) WHERE text IS NULL",
  `CREATE TABLE plant_search_marks (
    account bigint PRIMARY KEY, number bigint NOT NULL DEFAULT 0, since timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE TABLE plant_search_changes (
    serial bigint GENERATED ALWAYS AS IDENTITY, account bigint NOT NULL, number bigint NOT NULL, id bigint NOT NULL,
    PRIMARY KEY (account, serial)
  )`,
];

/**
 * Webhook endpoints, their secrets (sealed), and their deliveries. `position` is the number up to which every event was
 * attempted; only failed events have rows, in `webhook_retries`. The log of an endpoint is a ring of rows, so it never
 * grows. `restart_revision` is the revision with which delivery to an endpoint was begun anew, so that outcomes from before
 * are told from those since. There is no foreign key: a store's rows are removed in slices.
 */
function webhooks({ int64 }: Types): readonly string[] {
  return [
    `CREATE TABLE webhook_endpoints (
      id text PRIMARY KEY, account ${int64} NOT NULL, url text NOT NULL, types text, description text NOT NULL,
      delivery text NOT NULL, version text NOT NULL, status text NOT NULL, reason text, failing_since ${int64},
      failures ${int64} NOT NULL DEFAULT 0, position ${int64} NOT NULL, revision ${int64} NOT NULL DEFAULT 1,
      holder text, held_until ${int64} NOT NULL DEFAULT 0, created_at ${int64} NOT NULL, updated_at ${int64} NOT NULL,
      restart_revision ${int64} NOT NULL DEFAULT 0, not_before ${int64} NOT NULL DEFAULT 0
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
  ];
}

/**
 * Answers and response times counted by account, token and interval. Each answer is counted in its minute and in its hour,
 * under its token and under "" for the whole account, so that every chart reads few rows. `outcome` is 0 for an answer below
 * 400, 1 for a plant created, otherwise the number of the error. Response times are counts by bucket (`http/latency.ts`);
 * their sums say who still calls which version. There is no foreign key: a store's rows are removed in slices.
 */
function figures({ int64 }: Types): readonly string[] {
  return [
    `CREATE TABLE usage_counts (
      account ${int64} NOT NULL, token text NOT NULL, span text NOT NULL, start ${int64} NOT NULL,
      outcome integer NOT NULL, count ${int64} NOT NULL,
      CONSTRAINT usage_counts_key PRIMARY KEY (account, token, span, start, outcome)
    )`,
    "CREATE INDEX usage_counts_start ON usage_counts (span, start)",
    `CREATE TABLE latencies (
      account ${int64} NOT NULL, token text NOT NULL, version text NOT NULL, span text NOT NULL, start ${int64} NOT NULL,
      bucket integer NOT NULL, count ${int64} NOT NULL,
      CONSTRAINT latencies_key PRIMARY KEY (account, token, span, start, version, bucket)
    )`,
    "CREATE INDEX latencies_start ON latencies (span, start)",
  ];
}

/**
 * The request log, partitioned by day, so that a day is dropped as a whole; the node that first logs on a day makes its
 * partition. On SQLite the log is a separate file. `request_counts` has the rate limit of each token over all nodes, in the
 * columns of rate-limiter-flexible.
 */
const REQUESTS_ON_POSTGRES = [
  "CREATE SEQUENCE requests_number AS bigint",
  `CREATE TABLE requests (
    number bigint NOT NULL DEFAULT nextval('requests_number'), account bigint NOT NULL, request_id text NOT NULL,
    at bigint NOT NULL, status integer NOT NULL, error integer, token text, path text COLLATE "C" NOT NULL,
    plant text, address text, entry text NOT NULL
  ) PARTITION BY RANGE (at)`,
  "CREATE INDEX requests_account ON requests (account, number)",
  "CREATE INDEX requests_error ON requests (account, error, number) WHERE error IS NOT NULL",
  "CREATE INDEX requests_id ON requests (request_id)",
  `CREATE UNLOGGED TABLE request_counts (
    key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint
  ) WITH (fillfactor = 50)`,
];

/** The names of the migrations that have run, each with its time as an ISO date. */
export const schemaTable = "CREATE TABLE migrations (name varchar(255) PRIMARY KEY, timestamp varchar(255) NOT NULL)";

/**
 * - `kept_secrets`: what the service makes once for all nodes.
 * - `leases`: of jobs that one process at a time may run, of nodes that run, and of those that deliver to webhooks.
 * - `attempts`: what throttles have counted.
 * - `welcome_codes`: the code with which the first person signs up, in one row.
 * - `audit_purge`: entries of the audit log that are older may be removed.
 * - `audit_lines`: entries that commands have made, and that a service has not written to its log yet.
 * - `mail_queue`: mail without its secrets, which are made when it is sent. `recipient` is the address at its queueing.
 */
function service({ int64 }: Types): readonly string[] {
  return [
    schemaTable,
    "CREATE TABLE kept_secrets (name text PRIMARY KEY, value text NOT NULL)",
    `CREATE TABLE leases (name text PRIMARY KEY, holder text NOT NULL, expires_at ${int64} NOT NULL)`,
    `CREATE TABLE attempts (key text PRIMARY KEY, count ${int64} NOT NULL, ends_at ${int64} NOT NULL)`,
    "CREATE TABLE welcome_codes (place integer PRIMARY KEY, hash text NOT NULL, used_by text)",
    `CREATE TABLE audit_purge (before ${int64} NOT NULL)`,
    "INSERT INTO audit_purge VALUES (0)",
    "CREATE TABLE audit_lines (id text PRIMARY KEY)",
    `CREATE TABLE mail_queue (
      id text PRIMARY KEY, mail text NOT NULL, created_at ${int64} NOT NULL, next_at ${int64} NOT NULL,
      attempts ${int64} NOT NULL, recipient text
    )`,
    "CREATE INDEX mail_queue_next ON mail_queue (next_at)",
  ];
}
