import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { openApiDocument } from "#contract/openapi/document.ts";
import { CSV_HEADER } from "#contract/v1/csv.ts";
import { MEMBER_NAMES, OPTIONAL_NAMES, textsOf, withOptional } from "#core/plant-members.ts";
import { addPlant, editPlant, getPlant } from "#mcp/tools/plants.ts";
import { ENGINES } from "./support/engines.ts";
import { outcomeOf } from "./support/process.ts";
import { PYTHON_CLIENT } from "./support/python-client.ts";
import { COMMAND, ROOT, startService } from "./support/service.ts";

const NAME = "Fern";
const TEXTS = withOptional({ name: NAME }, (member) => `a ${member}`);
const OTHERS = withOptional({}, (member) => TEXTS[member]);
const NONE = withOptional({}, () => null);

describe.each(ENGINES)("on %s, each member of a plant", async (engine) => {
  const service = await startService({ engine });
  afterAll(() => service.stop());
  const token = await service.token();
  const client = new PlantstoreClient({ url: service.url, token });
  const kept = async (id: number) => textsOf(await client.get(id));

  test("is created, read, listed, replaced, changed, taken away and told in events", async () => {
    await client.create({ id: 1, ...TEXTS });
    expect([await kept(1), textsOf((await client.page()).plants[0] ?? TEXTS)]).toEqual([TEXTS, TEXTS]);
    await client.put({ id: 1, name: NAME });
    expect(await kept(1)).toEqual({ name: NAME });
    await client.change(1, OTHERS);
    expect(await kept(1)).toEqual(TEXTS);
    await client.change(1, NONE);
    await client.remove(1);
    const { events } = await client.eventPage({ plant: 1 });
    expect(events.map(({ previous }) => previous)).toEqual([undefined, OTHERS, NONE, OTHERS, undefined]);
    expect(events.map(({ plant }) => plant && textsOf(plant))).toEqual([
      TEXTS,
      { name: NAME },
      TEXTS,
      { name: NAME },
      { name: NAME },
    ]);
    for (const member of OPTIONAL_NAMES) {
      await client.create({ id: 2, ...TEXTS });
      const refused = client.create({ id: 2, ...TEXTS, [member]: "other" });
      await expect(refused).rejects.toMatchObject({ code: "id-taken" });
    }
  });

  test("is imported and exported, by a command too, and goes through the tools for agents", async () => {
    const csv = `id,${MEMBER_NAMES}\n3,${MEMBER_NAMES.map((member) => TEXTS[member])}\n`;
    await client.importPlants(csv, { format: "csv" });
    await client.importPlants(
      [
        { id: 4, ...TEXTS },
        { id: 4, ...NONE },
      ],
      { existing: "update" },
    );
    expect([await kept(3), await kept(4)]).toEqual([TEXTS, { name: NAME }]);
    const { out } = await outcomeOf(
      Bun.spawn([COMMAND, "plants", "export", "-", "--format=csv"], {
        env: { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: token },
        stdout: "pipe",
        stderr: "pipe",
      }),
    );
    expect(out).toStartWith(CSV_HEADER);
    expect(out).toContain(`\n3,${MEMBER_NAMES.map((member) => TEXTS[member])},2`);
    await addPlant.run(client, { id: "5", ...TEXTS });
    expect(await getPlant.run(client, { id: "5" })).toMatchObject(TEXTS);
    await editPlant.run(client, { id: "5", ...NONE });
    expect(await kept(5)).toEqual({ name: NAME });
  });
});

test("the description of the API, and both clients, know exactly the members of a plant", () => {
  const { schemas } = openApiDocument("http://localhost").components;
  const own = ["id", "plant_id", "created_at", "updated_at"];
  for (const name of [
    "NewPlant",
    "CreatedPlant",
    "KeptPlant",
    "PlantPut",
    "PlantPatch",
    "EventPlant",
    "PreviousPlant",
  ]) {
    const { properties } = schemas[name] as { readonly properties: object };
    expect(Object.keys(properties).filter((member) => !own.includes(member))).toEqual([...MEMBER_NAMES]);
  }
  const [typescript = ""] =
    /interface PlantTexts .*?\n}/s.exec(readFileSync(join(ROOT, "src/client/plant.ts"), "utf8")) ?? [];
  expect([...typescript.matchAll(/readonly (\w+)/g)].map(([, member]) => member)).toEqual([...MEMBER_NAMES]);
  const python = (file: string) => readFileSync(join(PYTHON_CLIENT, "src/plantstore", file), "utf8");
  for (const [file, parts] of [
    [
      "_types.py",
      [
        /class NewPlant:.*?\n\n\n/s,
        /class PlantUpdate:.*?\n\n\n/s,
        /class CreatedPlant:.*?\n\n\n/s,
        /class Plant:.*?\n\n\n/s,
      ],
    ],
    ["_async.py", [/def create\(.*?\n\n/s, /def change\(.*?\n\n/s, /def put\(.*?\n\n/s]],
  ] as const)
    for (const part of parts)
      for (const member of MEMBER_NAMES) expect(part.exec(python(file))?.[0]).toMatch(new RegExp(`\\b${member}: str`));
});
