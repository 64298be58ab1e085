import { expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import { newDatabase, newPostgresDatabase } from "./support/engines.ts";
import { runCommand, startService, type TestService, temporaryFolder } from "./support/service.ts";

const PLANTS = [
  { id: "-9223372036854775808", name: "", tag: "" },
  { id: "9223372036854775807", name: 'q"\\{},\t\n NULL', tag: "NULL" },
  { id: "9007199254740993", name: "Échevéria 🌵", tag: undefined },
];

const send = (node: TestService, token: string, method: string, path: string, body?: string) =>
  node.send(method, `/v1/plants${path}`, { as: token, body });

async function contentOf(node: TestService, token: string): Promise<string> {
  const answer = await node.send("GET", "/v1/plants", { as: token, headers: { Accept: "application/x-ndjson" } });
  expect(answer.status).toBe(200);
  return answer.text();
}

test("everything moves to PostgreSQL, keeps its tokens, numbers and times there, and moves back; a move can be repeated", async () => {
  const folder = temporaryFolder();
  const sqlite = await newDatabase("sqlite", folder);
  const postgres = await newPostgresDatabase();
  const move = async (from: string, to: string, ...more: string[]) =>
    JSON.parse(
      await runCommand({ PATH: process.env.PATH ?? "" }, folder, [
        "move",
        "--from",
        from,
        "--to",
        to,
        "--json",
        ...more,
      ]),
    );

  let service = await startService({ settings: { DATABASE_URL: sqlite } });
  const token = await service.token();
  for (const { id, name, tag } of PLANTS) {
    const body = `{"id":${id},"name":${JSON.stringify(name)}${tag === undefined ? "" : `,"tag":${JSON.stringify(tag)}`}}`;
    expect((await send(service, token, "POST", "", body)).status).toBe(200);
  }
  const newest = await send(service, token, "POST", "", '{"id":7,"name":"newest"}');
  expect(newest.status).toBe(200);
  const entityTag = (await send(service, token, "GET", "/7")).headers.get("ETag");
  expect((await send(service, token, "DELETE", "/7")).status).toBe(204);
  const before = await contentOf(service, token);
  await service.stop();

  const moved = await move(sqlite, postgres);
  expect(moved.find(({ table }: { table: string }) => table === "plants")).toMatchObject({ rows: 3 });
  await expect(move(sqlite, postgres)).rejects.toThrow("--replace");
  expect(await move(sqlite, postgres, "--replace")).toEqual(moved);

  service = await startService({ settings: { DATABASE_URL: postgres } });
  expect(await contentOf(service, token)).toBe(before);
  expect((await send(service, token, "POST", "", '{"id":7,"name":"newest"}')).status).toBe(200);
  expect((await send(service, token, "GET", "/7")).headers.get("ETag")).not.toBe(entityTag);
  const second = await service.token();
  expect((await send(service, second, "POST", "", '{"id":1,"name":"of the second account"}')).status).toBe(200);
  const after = await contentOf(service, token);
  await service.stop();

  await expect(move(sqlite, postgres)).rejects.toThrow("--replace");
  await move(postgres, sqlite, "--replace");
  service = await startService({ settings: { DATABASE_URL: sqlite } });
  expect(await contentOf(service, token)).toBe(after);
  expect(await contentOf(service, second)).toContain("of the second account");
  const found = await send(service, token, "GET", "?q=%C3%89CHEV");
  expect(await found.json()).toMatchObject({ data: [{ name: "Échevéria 🌵" }] });
  await service.stop();
});

test.each(["sqlite", "postgres"] as const)(
  "a %s database on which a service runs is neither moved nor moved to, also with --replace, and what it answered 200 stays",
  async (engine) => {
    const folder = temporaryFolder();
    const live = engine === "sqlite" ? await newDatabase("sqlite", folder) : await newPostgresDatabase();
    const other = await newDatabase("sqlite", temporaryFolder());
    await (await openStorage(other)).records.close();
    const move = (from: string, to: string) =>
      runCommand({ PATH: process.env.PATH ?? "" }, folder, ["move", "--from", from, "--to", to, "--replace"]);
    const service = await startService({ settings: { DATABASE_URL: live } });
    const token = await service.token();
    expect((await send(service, token, "POST", "", '{"id":1,"name":"kept"}')).status).toBe(200);
    const refusal = /another program: stop the service|A service runs on the (?:source|target)/;
    await expect(move(other, live)).rejects.toThrow(refusal);
    await expect(move(live, other)).rejects.toThrow(refusal);
    expect((await send(service, token, "GET", "/1")).status).toBe(200);
    await service.stop();
    await move(live, other);
  },
);

test("both addresses may come from the environment, so that passwords stand in no list of processes", async () => {
  const folder = temporaryFolder();
  const environment = {
    PATH: process.env.PATH ?? "",
    MOVE_FROM: `sqlite:${folder}/none.db`,
    MOVE_TO: `sqlite:${folder}/b.db`,
  };
  await expect(runCommand(environment, folder, ["move"])).rejects.toThrow("none.db");
});
