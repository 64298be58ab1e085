import { afterAll, expect, test } from "bun:test";
import pg from "pg";
import { newPostgresDatabase } from "./support/engines.ts";
import { startService, type TestService } from "./support/service.ts";

const ASK = "let an administrator run CREATE EXTENSION pg_trgm";
const role = `gardener_${crypto.randomUUID().slice(0, 8)}`;
const own = new URL(await newPostgresDatabase());
const admin = new pg.Client(own.href);
await admin.connect();
await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
await admin.query(`GRANT ALL ON SCHEMA public TO ${role}`);
own.username = role;
own.password = "secret";
/** The database for a role that may make tables in it, but no extensions. */
const url = own.href;
afterAll(async () => {
  await admin.query(`DROP OWNED BY ${role}`);
  await admin.query(`DROP ROLE ${role}`);
  await admin.end();
});

const readiness = async ({ url }: TestService) => (await fetch(`${url}/readyz`)).json();

test("where the database has no pg_trgm, the log and /readyz say whom to ask for what, until it is there", async () => {
  const without = await startService({ settings: { DATABASE_URL: url } });
  const { details } = await readiness(without);
  expect(details).toEqual([expect.stringContaining(ASK)]);
  await without.stop();
  expect(without.output().split(ASK)).toHaveLength(2);
  await admin.query("CREATE EXTENSION pg_trgm");
  const withIndex = await startService({ settings: { DATABASE_URL: url } });
  expect(await readiness(withIndex)).toEqual({ status: "ready" });
  expect(withIndex.output()).not.toContain(ASK);
  await withIndex.stop();
});
