import { existsSync, mkdirSync } from "node:fs";
import type { PostgresServer } from "../test/support/postgres-server.ts";
import { queryOnce } from "../test/support/query.ts";
import { BenchDatabase } from "./bench-server.ts";
import { sendRows } from "./load.ts";

const GENERA =
  "Monstera Ficus Calathea Aloe Zamioculcas Philodendron Rosa Tulipa Lavandula Salvia Hydrangea Acer".split(" ");
const SPECIES = "deliciosa lyrata orbifolia vera zamiifolia hederaceum canina sylvestris nemorosa macrophylla".split(
  " ",
);
const TAGS = ["indoor", "outdoor", "shade", "sun", undefined] as const;
/** A prime: steps of it visit every id below a count that is not its multiple exactly once, in no order. */
const STRIDE = 6_700_417n;
/** Ids of catalogues, and random ones of creates on them, are below this; those that count milliseconds in thousandths, above. */
export const IDS_BELOW = 1_700_000_000_000_000;
const LINES_AT_ONCE = 1000;

/** Parts of names and a tag with known frequencies. */
export const CATALOGUE = {
  /** One plant of twelve has it. */
  common: "monstera",
  /** One plant has it, or a few whose numbers begin with the same digits. */
  rare: (at: number) => `no. ${at}`,
  absent: "xyzzy plugh",
  commonTag: "indoor",
  /** One plant of 10,000 has it. */
  rareTag: "endangered",
} as const;

/** A database with that many plants of varied names, in random order of ids, and a token of its first account. */
export interface Catalogue {
  readonly database: BenchDatabase;
  readonly token: string;
}

/**
 * Imports the catalogue, spread evenly over the accounts, and waits for the search index. A folder or a server that an earlier run has
 * filled is used as it is.
 */
export async function filledCatalogue(
  plants: number,
  accounts: number,
  { folder, postgres }: { readonly folder?: string; readonly postgres?: PostgresServer },
): Promise<Catalogue> {
  let isThere = folder !== undefined && existsSync(folder);
  if (folder) mkdirSync(folder, { recursive: true });
  const database = new BenchDatabase(folder);
  if (postgres) {
    const name = `plants_${plants}`;
    const url = postgres.url(name);
    isThere = (await queryOnce(postgres.url(), `SELECT 1 FROM pg_database WHERE datname = '${name}'`)).length > 0;
    if (!isThere) await queryOnce(postgres.url(), `CREATE DATABASE ${name}`);
    database.environment.DATABASE_URL = url;
  }
  if (isThere) return { database, token: await database.token(`${crypto.randomUUID()}@example.test`) };
  const tokens = await database.tokens(accounts);
  const service = await database.serve({ core: "any" });
  const each = Math.floor(plants / accounts);
  for (const [account, token] of tokens.entries()) {
    await sendRows({ url: service.url, token }, "import", lines(account * each, each, plants), "application/x-ndjson");
  }
  await database.indexingEnds();
  await service.stop();
  return { database, token: tokens[0] ?? "" };
}

/** Lines of an import: plants from one place of the catalogue on. */
function lines(first: number, count: number, of: number): ReadableStream<string> {
  let done = 0;
  return new ReadableStream({
    pull(controller) {
      if (done === count) return controller.close();
      const places = Array.from({ length: Math.min(LINES_AT_ONCE, count - done) }, (_, next) => first + done + next);
      controller.enqueue(places.map((at) => line(at, of)).join(""));
      done += places.length;
    },
  });
}

function line(at: number, of: number): string {
  const name = `${GENERA[at % GENERA.length]} ${SPECIES[Math.floor(at / 7) % SPECIES.length]} no. ${at}`;
  const tag = at % 10_000 === 42 ? CATALOGUE.rareTag : TAGS[at % TAGS.length];
  return `{"id":${idOf(at, of)},"name":"${name}"${tag ? `,"tag":"${tag}"` : ""}}\n`;
}

/** The id of the plant at a place: random others fall between these, on all pages of the index. */
export function idOf(at: number, count: number): bigint {
  return ((BigInt(at) * STRIDE) % BigInt(count)) * (BigInt(IDS_BELOW) / BigInt(count));
}
