import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { isReported } from "#core/failure.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { eventually, eventuallyPasses } from "#test/support/eventually.ts";
import { startTcpProxy } from "#test/support/tcp-proxy.ts";
import { openStorage } from "../open.ts";
import { Pool, type PoolOptions } from "./pool.ts";
import { COMMAND_WAITS } from "./pools.ts";
import { Reach } from "./reach.ts";
import { checkSession } from "./session.ts";

let url: string;
const pools: Pool[] = [];

beforeAll(async () => {
  url = await newPostgresDatabase();
});
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
});

function opened(options: Partial<PoolOptions> = {}, at = url): Pool {
  const pool = new Pool(at, { sizeMax: 1, ...COMMAND_WAITS, ...options });
  pools.push(pool);
  return pool;
}

async function first<T>(pool: Pool, text: string, values?: unknown[]): Promise<T | undefined> {
  const { rows } = await pool.query<{ value: T }>(text, values);
  return rows[0]?.value;
}

/** The address of the database through a proxy. */
const through = (port: number) => url.replace(/:\d+\//, `:${port}/`);

const backend = (pool: Pool) => first<number>(pool, "SELECT pg_backend_pid() AS value");

async function end(pid: number | undefined): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("SELECT pg_terminate_backend($1)", [pid]);
  await client.end();
}

/** Like PgBouncer, it answers a first message with such a setting by an error (PostgreSQL manual, 54.7). */
function refusingSettings() {
  const { hostname, port } = new URL(url);
  type Data = { server?: Bun.Socket };
  const refusal = "SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0";
  const listener = Bun.listen<Data>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      async data(client, bytes) {
        if (bytes.includes("statement_timeout\0") && !client.data?.server) {
          const length = Buffer.alloc(4);
          length.writeInt32BE(refusal.length + 4);
          client.end(Buffer.concat([Buffer.from("E"), length, Buffer.from(refusal)]));
          return;
        }
        const early = Buffer.from(bytes);
        client.data ??= {};
        client.data.server ??= await Bun.connect({
          hostname,
          port: Number(port),
          socket: { data: (_, answer) => void client.write(answer), close: () => void client.end() },
        });
        client.data.server.write(early);
      },
      close: (client) => void client.data?.server?.end(),
    },
  });
  return { url: through(listener.port), stop: () => listener.stop(true) };
}

describe("what a busy thread notices late", () => {
  /** Ends the connection while this thread can notice nothing. */
  function endUnnoticed(pid: number | undefined): void {
    const program = `
      const client = new (await import("pg")).default.Client(${JSON.stringify(url)});
      await client.connect();
      await client.query("SELECT pg_terminate_backend($1, 5000)", [${pid}]);
      await client.end();`;
    const { success, stderr } = Bun.spawnSync([process.execPath, "-e", program], { cwd: import.meta.dir });
    if (!success) throw new Error(String(stderr));
  }

  test("of an outage that the serving thread has seen end is not reported, and of the next one is", async () => {
    const reported: (string | undefined)[] = [];
    const { returns } = new Reach(NO_OBSERVER);
    const reach = new Reach({ databaseAway: (reason) => void reported.push(reason) }, returns);
    const pool = opened({ reach });
    endUnnoticed(await backend(pool));
    Atomics.add(returns, 0, 1);
    const late = await backend(pool).catch((error: unknown) => error);
    expect([late instanceof Error, isReported(late), reported.length]).toEqual([true, true, 0]);
    endUnnoticed(await backend(pool));
    await expect(backend(pool)).rejects.toThrow();
    expect(reported).toHaveLength(1);
  });
});

describe("the connections of a node", () => {
  test("send nothing before the schema is there", async () => {
    const pool = new Pool(url, { sizeMax: 1, opensLater: true });
    await expect(pool.query("SELECT 1")).rejects.toMatchObject({ code: "unavailable" });
    expect(pool.connections()).toEqual({ idle: 0, busy: 0, waiting: 0 });
    await pool.end();
  });

  test("are used again after a refused statement, and not after one that took too long", async () => {
    const pool = opened();
    const before = await backend(pool);
    await expect(pool.query("SELECT no_such_column")).rejects.toThrow("no_such_column");
    expect(await backend(pool)).toBe(before ?? 0);
    await expect(pool.query({ text: "SELECT pg_sleep(60)", query_timeout: 300 })).rejects.toThrow("timeout");
    expect(await backend(pool)).not.toBe(before ?? 0);
  });

  test("leave no statement behind that nobody waits for, and no transaction that is silent", async () => {
    const pool = opened({ statementMs: 1000 });
    const silence = "SELECT current_setting('idle_in_transaction_session_timeout') AS value";
    expect(await first<string>(pool, silence)).toBe("2min");
    await expect(pool.query({ text: "SELECT pg_sleep(62)", query_timeout: 100 })).rejects.toThrow("timeout");
    const other = opened();
    const running =
      "SELECT count(*) AS value FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(62)' AND state = 'active'";
    await eventually("the database has ended it", async () => (await first<number>(other, running)) === 0);
  });

  test("go without these limits through a pooler that refuses them, each of several that connect at once", async () => {
    const pooler = refusingSettings();
    const pool = opened({ statementMs: 300 }, pooler.url);
    const atOnce = [1, 2, 3].map((value) => first<number>(pool, `SELECT ${value} AS value`));
    expect(await Promise.all(atOnce)).toEqual([1, 2, 3]);
    expect(await first<string>(pool, "SELECT current_setting('statement_timeout') AS value")).toBe("0");
    pooler.stop();
  });

  test("that the database ended are replaced: the query that was under way fails, and the next one is answered", async () => {
    const pool = opened({ queryMsMax: 60_000 });
    const under = pool.query("SELECT pg_sleep(61)").catch((error) => error);
    const other = opened();
    const sleeping = "SELECT pid AS value FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(61)'";
    await eventually("the query is under way", async () => (await first(other, sleeping)) !== undefined);
    await end(await first(other, sleeping));
    expect(await under).toMatchObject({ code: "57P01" });
    const ending = "SELECT pg_terminate_backend(pg_backend_pid())";
    await expect(pool.rows(ending)).rejects.toMatchObject({ code: "unavailable" });
    expect(await first<number>(pool, "SELECT 1 AS value")).toBe(1);
  });

  test("that broke while nobody used them do not end the process, and are replaced", async () => {
    const pool = opened();
    await end(await backend(pool));
    await eventually("it is dropped", () => pool.connections().idle === 0);
    expect(await first<number>(pool, "SELECT 1 AS value")).toBe(1);
  });

  test("that come too late for who waits are given back, and a statement waits no longer for one than it may take", async () => {
    const pool = opened({ sizeMax: 1 });
    const only = await pool.connect();
    await expect(pool.connect(20)).rejects.toMatchObject({ code: "unavailable" });
    const sleeping = pool.query({ text: "SELECT pg_sleep(0.3)", query_timeout: 400 }).catch((error) => error);
    await only.query("SELECT pg_sleep(0.2)");
    only.release();
    expect(String(await sleeping)).toContain("timeout");
    expect(await first<number>(pool, "SELECT 1 AS value")).toBe(1);
  });

  test("go on without names of statements where a pooler has lost one", async () => {
    const pool = opened();
    const named = { name: "one", text: "SELECT 1 AS value" };
    expect((await pool.query<{ value: number }>(named)).rows).toEqual([{ value: 1 }]);
    await pool.query("DEALLOCATE ALL");
    // Sent again without its name, as nothing was done.
    expect((await pool.query<{ value: number }>(named)).rows).toEqual([{ value: 1 }]);
    expect((await pool.query<{ value: number }>(named)).rows).toEqual([{ value: 1 }]);
    expect(await first<number>(pool, "SELECT count(*)::int AS value FROM pg_prepared_statements")).toBe(0);
  });

  test("give counts and times as numbers, and refuse an int8 that is not exact as one", async () => {
    const pool = opened();
    expect(await first<number>(pool, "SELECT 9007199254740991::bigint AS value")).toBe(Number.MAX_SAFE_INTEGER);
    await expect(pool.query("SELECT 9007199254740993::bigint AS value")).rejects.toThrow("select it as text");
  });
});

describe("a new connection", () => {
  const checked = (notices: string[]) => ({
    onConnect: (client: pg.ClientBase) => checkSession(client, { notice: (message) => void notices.push(message) }),
  });

  async function setDatabaseTo(value: string): Promise<void> {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = ${value}`);
    await client.end();
  }
  afterAll(() => setDatabaseTo("on"));

  const committing = (pool: Pool) => first<string>(pool, "SELECT current_setting('synchronous_commit') AS value");

  test.each(["off", "local"])(
    "of a database set to synchronous_commit = %s commits on disk, and says so",
    async (value) => {
      const notices: string[] = [];
      await setDatabaseTo(value);
      expect(await committing(opened(checked(notices)))).toBe("on");
      expect(notices).toEqual([
        `The database is set to synchronous_commit = ${value}; this service commits with "on" all the same`,
      ]);
    },
  );

  test("keeps a stricter setting, and says nothing", async () => {
    const notices: string[] = [];
    await setDatabaseTo("remote_apply");
    expect(await committing(opened(checked(notices)))).toBe("remote_apply");
    expect(notices).toEqual([]);
  });

  test("to a database that cannot hold every character is refused with the encoding that would be right", async () => {
    const latin = await newPostgresDatabase("TEMPLATE template0 ENCODING 'LATIN1'");
    const pool = opened(checked([]), latin);
    const refused = await pool.connect().catch((error) => error);
    expect(refused.detail.cause.message).toStartWith(
      "The database of DATABASE_URL must have the encoding UTF8, and has LATIN1: ",
    );
  });
});

describe("a command", () => {
  test("is told in one line, without the password, that its database is out of reach", async () => {
    const opening = openStorage("postgres://plantstore:hunter2hunter2@127.0.0.1:1/postgres");
    const error = await opening.catch((reason: Error) => reason);
    expect(String(error)).toBe("Error: The database cannot be used: connect ECONNREFUSED 127.0.0.1:1");
  });

  test("waits longer for its database than a request may", async () => {
    const proxy = await startTcpProxy(Number(new URL(url).port));
    proxy.hold();
    const command = openStorage(through(proxy.port)).catch(() => "given up");
    await eventually("the command has begun", () => proxy.accepted() === 1);
    const request = opened({ connectMsMax: undefined }, through(proxy.port)).connect();
    expect(await Promise.race([command, request.catch(() => "refused")])).toBe("refused");
    proxy.close();
    expect(await command).toBe("given up");
  });

  test.each(["mysql://x/y", "plantstore.db", "", "SQLITE:x"])("is refused a DATABASE_URL like %j", async (given) => {
    await expect(openStorage(given)).rejects.toThrow("must be sqlite:PATH or postgres://…");
  });
});

test("while the database does not answer, reads and writes are refused as unavailable in time, and go on when it answers again", async () => {
  const proxy = await startTcpProxy(Number(new URL(url).port));
  const { records, reads, ready } = await openStorage(through(proxy.port), { startsWithoutDatabase: true });
  await ready;
  await records.keptSecret("before", () => "kept");
  proxy.hold();
  const plant = { id: 1n, name: "Fern", tag: undefined };
  const query = { order: "id", limit: 1, tag: undefined, q: undefined, after: undefined } as const;
  const began = performance.now();
  const ends = await Promise.allSettled([
    records.plants.create(1, plant),
    reads.plants.list(1, query),
    reads.tokens.list(1),
    reads.usage.read(1, { span: "hour", from: 0 }),
    records.keptSecret("before", () => "another"),
    records.writable(),
  ]);
  expect(performance.now() - began).toBeLessThan(10_000);
  for (const end of ends) expect(end).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
  proxy.follow(Number(new URL(url).port));
  await eventuallyPasses(async () => expect(await records.keptSecret("before", () => "another")).toBe("kept"));
  await eventuallyPasses(() => records.writable());
  await records.close();
  proxy.close();
});
