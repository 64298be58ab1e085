// As a good engineer writes it in an afternoon: a checked body, a prepared
// insert, one transaction a request.
import { createHash, timingSafeEqual } from "node:crypto";
import Database from "better-sqlite3";
import Fastify from "fastify";

const database = new Database(process.env.DATABASE_FILE);
database.pragma("journal_mode = WAL");
// better-sqlite3 is built with NORMAL as the default under WAL: that would
// not keep the last answers in a power cut.
database.pragma("synchronous = FULL");
database.exec("CREATE TABLE IF NOT EXISTS plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT");
const insert = database.prepare("INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)");

const sha256 = (text: string) => createHash("sha256").update(text).digest();
const expected = sha256(`Bearer ${process.env.TOKEN}`);
const plant = { type: "object", properties: { name: { type: "string" }, tag: { type: "string" } } };
const newPlant = {
  type: "object",
  required: ["id", "name"],
  properties: { id: { type: "integer" }, name: { type: "string" }, tag: { type: "string" } },
};

interface NewPlant {
  id: number;
  name: string;
  tag?: string;
}

const app = Fastify({ logger: false });

app.addHook("onRequest", async (request, reply) => {
  if (!timingSafeEqual(sha256(request.headers.authorization ?? ""), expected)) {
    return reply.code(401).send({ error: 401, message: "The token is not known." });
  }
});

app.post<{ Body: NewPlant }>(
  "/plants",
  { schema: { body: newPlant, response: { 200: plant } } },
  async (request, reply) => {
    const { id, name, tag } = request.body;
    try {
      insert.run(id, name, tag ?? null);
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_CONSTRAINT_PRIMARYKEY") throw error;
      return reply.code(409).send({ error: 409, message: "The id is taken." });
    }
    return { name, tag };
  },
);

app.get<{ Params: { id: string } }>("/plants/:id", async (request, reply) => {
  const found = database.prepare("SELECT id, name, tag FROM plants WHERE id = ?").get(request.params.id);
  return found ?? reply.code(404).send({ error: 404, message: "There is no such plant." });
});

const page = database.prepare("SELECT id, name, tag FROM plants ORDER BY id LIMIT ?");
const search = database.prepare("SELECT id, name, tag FROM plants WHERE name LIKE '%' || ? || '%' LIMIT ?");
app.get<{ Querystring: { limit?: string; q?: string } }>("/plants", async ({ query: { limit = "20", q } }) =>
  q === undefined ? page.all(Math.min(Number(limit), 100)) : search.all(q, Math.min(Number(limit), 100)),
);

const change = database.prepare("UPDATE plants SET name = coalesce(?, name), tag = coalesce(?, tag) WHERE id = ?");
app.patch<{ Params: { id: string }; Body: Partial<NewPlant> }>(
  "/plants/:id",
  { schema: { body: plant } },
  async ({ params: { id }, body: { name, tag } }, reply) => {
    if (change.run(name ?? null, tag ?? null, id).changes === 1) return { id: Number(id), name, tag };
    return reply.code(404).send({ error: 404, message: "There is no such plant." });
  },
);

const remove = database.prepare("DELETE FROM plants WHERE id = ?");
app.delete<{ Params: { id: string } }>("/plants/:id", async ({ params: { id } }, reply) =>
  reply.code(remove.run(id).changes === 1 ? 204 : 404).send(),
);

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
