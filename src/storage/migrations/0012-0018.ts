import type { Migrations } from "../engine.ts";

/** The request log and search on PostgreSQL, and later columns. */
export const migrations: Migrations = {
  /**
   * The request log, partitioned by day, so that a day is dropped as a whole. The node that first logs on a day makes its
   * partition. On SQLite the log is a separate file.
   */
  "0012-requests": (_, engine) =>
    engine === "sqlite"
      ? []
      : [
          "CREATE SEQUENCE requests_number AS bigint",
          `CREATE TABLE requests (
            number bigint NOT NULL DEFAULT nextval('requests_number'), account bigint NOT NULL, request_id text NOT NULL,
            at bigint NOT NULL, status integer NOT NULL, error integer, token text, path text COLLATE "C" NOT NULL,
            plant text, address text, entry text NOT NULL
          ) PARTITION BY RANGE (at)`,
          "CREATE INDEX requests_account ON requests (account, number)",
          "CREATE INDEX requests_error ON requests (account, error, number) WHERE error IS NOT NULL",
          "CREATE INDEX requests_id ON requests (request_id)",
        ],

  /**
   * Search on PostgreSQL, in tables of its own that are filled behind the creates:
   * - `plant_search`: a row for each indexed plant. `text` is the form of its name that is searched, null for a name too
   *   long to index; `tag_hash` stands for the tag, since a tag may be too long for an index.
   * - `plant_search_marks`: up to which plant number an account is indexed, and since when it is marked at all.
   * - `plant_search_changes`: plants of marked accounts that were changed or removed, until the index has followed.
   * The trigram index needs an extension, and is made at the start of the service where that is allowed.
   */
  "0013-plant-search": (_, engine) =>
    engine === "sqlite"
      ? []
      : [
          `CREATE TABLE plant_search (
            account bigint NOT NULL, number bigint NOT NULL, id bigint NOT NULL, text text, tag_hash integer,
            PRIMARY KEY (account, number)
          )`,
          "CREATE INDEX plant_search_tag ON plant_search (account, tag_hash, id) WHERE tag_hash IS NOT NULL",
          "CREATE INDEX plant_search_long ON plant_search (account, id) WHERE text IS NULL",
          `CREATE TABLE plant_search_marks (
            account bigint PRIMARY KEY, number bigint NOT NULL DEFAULT 0,
            since timestamptz NOT NULL DEFAULT clock_timestamp()
          )`,
          `CREATE TABLE plant_search_changes (
            serial bigint GENERATED ALWAYS AS IDENTITY, account bigint NOT NULL, number bigint NOT NULL, id bigint NOT NULL,
            PRIMARY KEY (account, serial)
          )`,
        ],

  /**
   * Response times by account, token, version of the interface and interval, as counts by bucket (`core/latency.ts`).
   * Their sums say who still calls which version. As in usage_counts, "" stands for the whole account.
   */
  "0014-latencies": ({ int64 }) => [
    `CREATE TABLE latencies (
      account ${int64} NOT NULL, token text NOT NULL, version text NOT NULL, span text NOT NULL, start ${int64} NOT NULL,
      bucket integer NOT NULL, count ${int64} NOT NULL,
      CONSTRAINT latencies_key PRIMARY KEY (account, token, span, start, version, bucket)
    )`,
    "CREATE INDEX latencies_start ON latencies (span, start)",
  ],

  /**
   * - The audit log is append-only for REPLACE on SQLite, which removes the row before it without a trigger's consent, and
   *   for TRUNCATE on PostgreSQL, which may remove only what DELETE may. A row is replaced by its key or by its rowid,
   *   which is below zero here if the statement does not give it.
   * - `mail_queue.recipient` is the address that an account had when a notice was queued.
   */
  "0015-append-only-and-recipients": (_, engine) => [
    "ALTER TABLE mail_queue ADD COLUMN recipient text",
    ...(engine === "sqlite"
      ? [
          `CREATE TRIGGER audit_entries_not_replaced BEFORE INSERT ON audit_entries
          WHEN EXISTS (SELECT 1 FROM audit_entries WHERE id = NEW.id OR rowid = NEW.rowid)
          BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
          END`,
        ]
      : [
          `CREATE FUNCTION refuse_audit_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF EXISTS (SELECT 1 FROM audit_entries WHERE at >= coalesce((SELECT max(before) FROM audit_purge), 0)) THEN
              RAISE EXCEPTION 'the audit log is append-only';
            END IF;
            RETURN NULL;
          END $$`,
          `CREATE TRIGGER audit_entries_not_truncated BEFORE TRUNCATE ON audit_entries
          FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_truncate()`,
        ]),
  ],

  /**
   * `restart_revision` is the revision with which delivery to an endpoint was begun anew, so that outcomes from before are
   * told from those since. Nothing is sent before `not_before`, milliseconds since 1970.
   */
  "0016-webhook-restarts": ({ int64 }) => [
    `ALTER TABLE webhook_endpoints ADD COLUMN restart_revision ${int64} NOT NULL DEFAULT 0`,
    `ALTER TABLE webhook_endpoints ADD COLUMN not_before ${int64} NOT NULL DEFAULT 0`,
  ],

  /** The entries of the audit log that commands have made, and that a service has not written to its log yet. */
  "0017-audit-lines": () => ["CREATE TABLE audit_lines (id text PRIMARY KEY)"],

  /**
   * `last_removal` has the number of the removal that drew its number last, committed or not. `renumber_plants` is called by
   * a create that saw it change. Of the plants that its transaction has written, it gives those a new number whose ids were
   * removed under a number above theirs, and times that are not before the removal; `after` is below all of these numbers.
   * Its queries see what was committed since the statement began. They read by index whatever the statistics say, since a
   * create must not wait for a scan.
   */
  "0018-order-of-removals": (_, engine) =>
    engine === "sqlite"
      ? []
      : [
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
        ],
};
