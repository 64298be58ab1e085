// The most common stack, as a good engineer writes it in an afternoon: Express,
// Drizzle's prepared statement, node-postgres' pool.
import { createHash, timingSafeEqual } from "node:crypto";
import { eq, like, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { bigint, pgTable, text } from "drizzle-orm/pg-core";
import express from "express";
import pg from "pg";

const plants = pgTable("plants", {
  id: bigint("id", { mode: "number" }).primaryKey(),
  name: text("name").notNull(),
  tag: text("tag"),
});

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE) });
const database = drizzle({ client: pool });
await database.execute(sql`CREATE TABLE IF NOT EXISTS plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)`);
const insert = database
  .insert(plants)
  .values({ id: sql.placeholder("id"), name: sql.placeholder("name"), tag: sql.placeholder("tag") })
  .prepare("add_plant");

const sha256 = (text: string) => createHash("sha256").update(text).digest();
const expected = sha256(`Bearer ${process.env.TOKEN}`);
const taken = (error: unknown) => (error as { cause?: { code?: string } }).cause?.code === "23505";

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.use((request, response, next) => {
  if (timingSafeEqual(sha256(request.headers.authorization ?? ""), expected)) return next();
  response.status(401).json({ error: 401, message: "The token is not known." });
});
app.use(express.json());

app.post("/plants", async (request, response) => {
  const { id, name, tag } = request.body ?? {};
  if (!Number.isInteger(id) || typeof name !== "string" || (tag !== undefined && typeof tag !== "string")) {
    response.status(400).json({ error: 400, message: "A plant has an integer id, a name and perhaps a tag." });
    return;
  }
  try {
    await insert.execute({ id, name, tag: tag ?? null });
    response.json({ name, tag });
  } catch (error) {
    if (!taken(error)) throw error;
    response.status(409).json({ error: 409, message: "The id is taken." });
  }
});

app.get("/plants/:id", async (request, response) => {
  const [found] = await database
    .select()
    .from(plants)
    .where(eq(plants.id, Number(request.params.id)));
  response.status(found ? 200 : 404).json(found ?? { error: 404, message: "There is no such plant." });
});

app.get("/plants", async (request, response) => {
  const { limit = "20", q } = request.query;
  const found = database
    .select()
    .from(plants)
    .limit(Math.min(Number(limit), 100));
  response.json(await (q === undefined ? found.orderBy(plants.id) : found.where(like(plants.name, `%${q}%`))));
});

app.patch("/plants/:id", async (request, response) => {
  const { name, tag } = request.body ?? {};
  const [changed] = await database
    .update(plants)
    .set({ name, tag })
    .where(eq(plants.id, Number(request.params.id)))
    .returning();
  response.status(changed ? 200 : 404).json(changed ?? { error: 404, message: "There is no such plant." });
});

app.delete("/plants/:id", async (request, response) => {
  const [gone] = await database
    .delete(plants)
    .where(eq(plants.id, Number(request.params.id)))
    .returning({ id: plants.id });
  response.status(gone ? 204 : 404).end();
});

app.listen(Number(process.env.PORT), "127.0.0.1");
