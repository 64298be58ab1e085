import { afterAll, expect, test } from "bun:test";
import { newPostgresDatabase } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { Load } from "./support/load.ts";
import { queryOnce } from "./support/query.ts";
import { startService, type TestService } from "./support/service.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";

const KILLS = 4;

const database = await newPostgresDatabase();
const address = new URL(database);
const proxy = await startTcpProxy(Number(address.port));
address.port = String(proxy.port);
/** Both start at once on an empty database; the second reaches it through a proxy. */
let [first, second] = await Promise.all([
  startService({ settings: { RATE_LIMIT: "1000", DATABASE_URL: database } }),
  startService({ settings: { RATE_LIMIT: "1000", DATABASE_URL: address.href } }),
]);
const token = await first.token();
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  proxy.close();
});

const create = (node: TestService, body: string, as = token) => node.send("POST", "/v1/plants", { as, body });

const rowsOf = (query: string): Promise<Record<string, unknown>[]> => queryOnce(database, query);

test("the same plant sent to two nodes at once is written once, and every answer is the plant", async () => {
  for (let id = 1; id <= 30; id++) {
    const body = `{"id":${id},"name":"Ficus ${id}","tag":"both"}`;
    const answers = await Promise.all([first, second, first, second].map((node) => create(node, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.filter((answer) => !answer.headers.has("Idempotent-Replayed"))).toHaveLength(1);
  }
  const [kept] = await rowsOf("SELECT count(*)::int AS plants FROM plants WHERE tag = 'both'");
  const [counted] = await rowsOf("SELECT sum(count)::int AS plants FROM plant_counts");
  expect(kept).toEqual({ plants: 30 });
  expect(counted).toEqual({ plants: 30 });
});

test("two plants of one id sent to two nodes at once: one is kept, the other is refused", async () => {
  for (let id = 101; id <= 120; id++) {
    const answers = await Promise.all([
      create(first, `{"id":${id},"name":"a"}`),
      create(second, `{"id":${id},"name":"b"}`),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
});

test("a token that is revoked on one node is refused on the other within a second, even after its connections were cut", async () => {
  const revoked = await first.token();
  expect((await create(second, '{"id":1,"name":"x"}', revoked)).status).toBe(200);
  proxy.follow(Number(new URL(database).port));
  const hash = new Bun.CryptoHasher("sha256").update(revoked).digest("hex");
  const [kept] = await rowsOf(`SELECT id FROM tokens WHERE hash = '\\x${hash}'`);
  await first.command("token", "revoke", String(kept?.id));
  const revokedAt = performance.now();
  let lastTakenAt = revokedAt;
  await eventually("it is refused", async () => {
    const sentAt = performance.now();
    const { status } = await create(second, '{"id":1,"name":"x"}', revoked);
    if (status === 200) lastTakenAt = sentAt;
    return status === 401;
  });
  expect(lastTakenAt - revokedAt).toBeLessThan(1000);
});

test("while the database cannot be reached a node answers 503, never 401, and keeps nothing waiting", async () => {
  proxy.hold();
  const since = performance.now();
  const answers = await Promise.all([1, 2, 3].map((id) => create(second, `{"id":${id + 500},"name":"x"}`)));
  expect(performance.now() - since).toBeLessThan(30_000);
  expect(answers.map(({ status, headers }) => [status, headers.get("Retry-After")])).toEqual([
    [503, "1"],
    [503, "1"],
    [503, "1"],
  ]);
  proxy.follow(Number(new URL(database).port));
  await eventually(
    "it takes creates again",
    async () => (await create(second, '{"id":501,"name":"x"}')).status === 200,
  );
});

test("a token's rate holds over all nodes together", async () => {
  const RATE = 5;
  const settings = { DATABASE_URL: database, RATE_LIMIT: String(RATE) };
  const nodes = await Promise.all([startService({ settings }), startService({ settings })]);
  const since = Date.now();
  const answers: Response[] = [];
  // Windows begin at any moment of the clock, so the first and the last may be partial.
  const allowed = () => RATE * (Math.ceil((Date.now() - since) / 1000) + 1);
  while (Date.now() - since < 3000 || answers.length < 2 * allowed()) {
    const sent = Array.from({ length: 4 * RATE }, (_, at) =>
      create(nodes[at % 2] as TestService, `{"id":${answers.length + at + 700},"name":"x"}`),
    );
    answers.push(...(await Promise.all(sent)));
    await Bun.sleep(50);
  }
  const allowedMax = allowed();
  await Promise.all(nodes.map((node) => node.stop()));
  const taken = answers.filter(({ status }) => status === 200);
  expect(taken.length).toBeWithin(RATE, allowedMax + 1);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(answers.length - taken.length);
  expect(refused[0]?.headers.get("Retry-After")).toBe("1");
});

test("nodes that are killed under load lose nothing that they acknowledged", async () => {
  const nodes = [first, second];
  const address = (client: number, attempt: number) => nodes[(client + attempt) % 2]?.url ?? "";
  const load = new Load({ token, clients: 6, firstId: 1_000_000n, address });
  for (let round = 0; round < KILLS; round++) {
    const before = load.acknowledged.size;
    await eventually("creates are under way", () => load.acknowledged.size > before + 30);
    const killed = nodes[round % 2] as TestService;
    await killed.kill();
    nodes[round % 2] = await killed.restart();
  }
  await load.stop();
  [first, second] = nodes as [TestService, TestService];
  const rows = await rowsOf("SELECT id::text FROM plants WHERE id >= 1000000");
  const kept = new Set(rows.map(({ id }) => BigInt(String(id))));
  expect([...load.acknowledged].filter((id) => !kept.has(id))).toEqual([]);
  const [counted] = await rowsOf("SELECT (SELECT count(*) FROM plants) - (SELECT sum(count) FROM plant_counts) AS off");
  expect(Number(counted?.off)).toBe(0);
});
