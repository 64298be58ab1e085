import { parseArgs } from "node:util";
import pg from "pg";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { newAccount } from "#test/support/stores.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { type Bar, report } from "./report.ts";

/**
 * Counts what a reader of the feed by cursor sees while several nodes create on one PostgreSQL and some commits are slow:
 * `bun bench/event-proof.ts [--creates 100000] [--nodes 6]`. A transaction is held open before its commit for up to 100 ms
 * if it has a row whose number is a multiple of 1,000. A reader that goes by numbers alone runs beside it, to show that
 * numbers do commit out of order. Throws unless the reader by cursor saw every create once.
 */
const { values: options } = parseArgs({
  options: { creates: { type: "string", default: "100000" }, nodes: { type: "string", default: "6" } },
});
const [CREATES, NODES] = [Number(options.creates), Number(options.nodes)];
const AT_ONCE = 200;
const PAGE_EVENTS = 500;
const SLOW_COMMITS = `
CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(random() * 0.1); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON plants DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (NEW.number % 1000 = 0) EXECUTE FUNCTION slow_commit();`;

const postgres = await startPostgres({ settings: { max_connections: "200" } });
const nodes: Storage[] = [];
while (nodes.length < NODES) nodes.push(await openStorage(postgres.url()));
const [first] = nodes as [Storage];
const account = await newAccount(first);
const client = new pg.Client(postgres.url());
await client.connect();
await client.query(SLOW_COMMITS);

let creating = true;
const start = performance.now();
const byCursor = tail();
const byNumber = naiveTail();
await Promise.all(nodes.map((node, at) => create(node, at)));
creating = false;
const seconds = (performance.now() - start) / 1000;
const seen = await byCursor;
const naive = await byNumber;
const { rows } = await client.query<{ id: string }>("SELECT id::text FROM plants WHERE account = $1", [account]);
await client.end();
for (const { store } of nodes) await store.close();
await postgres.stop();

const unique = new Set(seen);
const lost = rows.filter(({ id }) => !unique.has(BigInt(id))).length;
const twice = seen.length - unique.size;
const bars: Bar[] = [
  { name: "creates", value: rows.length, atLeast: CREATES },
  { name: "creates a second", value: rows.length / seconds },
  { name: "lost to the reader by cursor", value: lost, atMost: 0 },
  { name: "seen twice by it", value: twice, atMost: 0 },
  { name: "lost to a reader by number alone", value: rows.length - naive.size, atLeast: 1 },
];
await report("event-proof", [`${NODES} nodes, PostgreSQL, commits held up to 100 ms`], bars);
if (lost + twice > 0) throw new Error(`${lost} events were lost and ${twice} came twice`);
process.exit(0);

async function create({ store }: Storage, node: number): Promise<void> {
  const count = Math.ceil(CREATES / NODES);
  let next = 0;
  const lane = async () => {
    while (next < count) {
      await store.plants.create(account, { id: BigInt(node * count + next++), name: "Fern", tag: undefined });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function tail(): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (let after = 0n; ; ) {
    const isLast = !creating;
    const page = await first.reads.events.read(account, {
      after,
      until: await first.store.events.latest(),
      limit: PAGE_EVENTS,
      types: undefined,
    });
    after = page.next;
    for (const { plant } of page.events) ids.push(plant.id);
    if (isLast && !page.more && page.events.length === 0) return ids;
    if (page.events.length === 0) await Bun.sleep(5);
  }
}

async function naiveTail(): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let after = "0"; ; ) {
    const isLast = !creating;
    const text =
      "SELECT id::text, number::text FROM plants WHERE account = $1 AND number > $2 ORDER BY number LIMIT $3";
    const page = await client.query<{ id: string; number: string }>(text, [account, after, PAGE_EVENTS]);
    for (const { id, number } of page.rows) {
      ids.add(id);
      after = number;
    }
    if (isLast && page.rows.length === 0) return ids;
    if (page.rows.length === 0) await Bun.sleep(5);
  }
}
