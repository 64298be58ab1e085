import type { CanonicalRow, ColumnKind, MoveEndpoint, MoveRole, Table, TypedColumn } from "./endpoint.ts";
import { openPostgresEndpoint } from "./postgres-endpoint.ts";
import { openSqliteEndpoint } from "./sqlite-endpoint.ts";

/** A move that must not be made, or whose copy differs from its source; the message says why. */
class MoveRefused extends Error {}

export interface MoveOptions {
  readonly from: string;
  readonly to: string;
  /** True if all that the target holds may be lost. */
  readonly replace: boolean;
  /** Called with the number of rows copied or compared so far, and in total. */
  onProgress(rows: number, rowsTotal: number): void;
}

export interface MovedTable {
  readonly table: string;
  readonly rows: number;
  /** The sum of the hashes of the rows, the same on both sides. */
  readonly checksum: string;
}

/**
 * Makes `to` a copy of `from`: every table that both engines have, including those of later migrations. It is one
 * transaction, and the copy is read back and compared before the commit, so the target is either complete or unchanged.
 */
export async function move(options: MoveOptions): Promise<MovedTable[]> {
  if (options.from === options.to) throw new MoveRefused("--from and --to are the same database");
  await using from = await openSide(options.from, "from");
  await using to = await openSide(options.to, "to");
  return await copied(from, to, options);
}

function openSide(url: string, role: MoveRole): Promise<MoveEndpoint> {
  return url.startsWith("sqlite:")
    ? openSqliteEndpoint(url.slice("sqlite:".length), role)
    : openPostgresEndpoint(url, role);
}

async function copied(from: MoveEndpoint, to: MoveEndpoint, options: MoveOptions): Promise<MovedTable[]> {
  const tables = await tablesOf(from, to);
  if (!options.replace) await refuseFilled(to, tables);
  await to.clear(tables.map(({ name }) => name));
  const moved: MovedTable[] = [];
  const onPage = await progress(from, tables, options);
  for (const table of tables) {
    const written = await digest(from, table, async (rows) => {
      await to.insert(table, rows);
      onPage(rows.length);
    });
    const read = await digest(to, table, async (rows) => onPage(rows.length));
    if (written.checksum !== read.checksum || written.rows !== read.rows) {
      throw new MoveRefused(`The copy of ${table.name} differs from what was copied; nothing of it was kept`);
    }
    moved.push(read);
  }
  await to.keepLastNumbers(await from.lastNumbers());
  await to.commit();
  return moved;
}

/** Tables that belong to one database. They are not copied, or are rebuilt from the others. */
const NOT_MOVED = /^(?:migrations|migration_lock|leases|counters|plant_search(?:_.*)?|requests(?:_\d+)?)$/;

/** The tables that both have: first those to which others refer. */
async function tablesOf(from: MoveEndpoint, to: MoveEndpoint): Promise<Table[]> {
  const [given, taken] = [await from.columns(), await to.columns()];
  const names = new Set(taken.map(({ table }) => table));
  const shared = given.filter(({ table }) => names.has(table) && !NOT_MOVED.test(table));
  // PostgreSQL's types say more: SQLite has none for flags.
  const typed = from.engine === "postgres" ? given : taken;
  const types = new Map(typed.map(({ table, name, type }) => [`${table}.${name}`, type]));
  const kindOf = ({ table, name }: TypedColumn) => KINDS[types.get(`${table}.${name}`) ?? ""] ?? "text";
  const order = (table: string) => `${REFERRED_TO.test(table) ? 0 : 1} ${table}`;
  return [...Map.groupBy(shared, ({ table }) => table)]
    .sort(([a], [b]) => (order(a) < order(b) ? -1 : 1))
    .map(([name, columns]) => ({
      name,
      columns: columns.map((column) => ({ name: column.name, kind: kindOf(column) })),
    }));
}

const REFERRED_TO = /^(?:people|stores)$/;

const KINDS: Readonly<Record<string, ColumnKind>> = {
  integer: "integer",
  bigint: "integer",
  blob: "bytes",
  bytea: "bytes",
  boolean: "flag",
};

/** All that a person has made is in one of these, or refers to them. A new database has rows in others. */
const MADE_BY_PEOPLE = /^(?:people|plants|stores)$/;

/** A target that holds anything may be the wrong database, or a copy of before that has served since. */
async function refuseFilled(to: MoveEndpoint, tables: readonly Table[]): Promise<void> {
  const held: string[] = [];
  for (const { name } of tables.filter((table) => MADE_BY_PEOPLE.test(table.name))) {
    const rows = await to.count(name);
    if (rows > 0) held.push(`${name}: ${rows}`);
  }
  if (held.length > 0)
    throw new MoveRefused(`The target is not empty (${held.join(", ")}); --replace gives up all of it`);
}

async function progress(from: MoveEndpoint, tables: readonly Table[], { onProgress }: Pick<MoveOptions, "onProgress">) {
  let rowsTotal = 0;
  for (const { name } of tables) rowsTotal += 2 * (await from.count(name));
  let done = 0;
  return (rows: number) => {
    done += rows;
    onProgress(done, rowsTotal);
  };
}

/** Reads the whole table and passes each page on. */
async function digest(
  side: MoveEndpoint,
  table: Table,
  onPage: (rows: readonly CanonicalRow[]) => Promise<void>,
): Promise<MovedTable> {
  let rows = 0;
  let sum = 0n;
  for await (const page of side.pages(table)) {
    await onPage(page);
    for (const row of page) sum += Bun.hash.xxHash64(JSON.stringify(row));
    rows += page.length;
  }
  return { table: table.name, rows, checksum: BigInt.asUintN(64, sum).toString(16).padStart(16, "0") };
}
