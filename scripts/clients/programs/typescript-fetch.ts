import { Configuration, type ModelError, PlantsApi, ResponseError } from "./generated/index.ts";

function plantsWith(accessToken: string): PlantsApi {
  return new PlantsApi(new Configuration({ basePath: process.env.PLANTSTORE_URL, accessToken }));
}

async function errorOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 0;
  } catch (refusal) {
    if (!(refusal instanceof ResponseError)) throw refusal;
    const { error }: ModelError = await refusal.response.json();
    return error;
  }
}

const plants = plantsWith(process.env.PLANTSTORE_TOKEN ?? "");
const id = Number("9007199254740993");
await plants.createPlant({ newPlant: { id, name: "Monstera deliciosa", tag: "indoor" } });
const kept = await plants.getPlant({ id });
console.log(kept.id, kept.name, kept.createdAt);

for (const other of [1, 2]) await plants.createPlant({ newPlant: { id: other, name: "Fern" } });
const pages: number[] = [];
for (let cursor: string | undefined | null; cursor !== null; ) {
  const page = await plants.listPlants({ limit: 2, cursor });
  pages.push(page.data.length);
  cursor = page.nextCursor;
}

const errors = [
  await errorOf(plants.listPlants({ cursor: "no-cursor" })),
  await errorOf(plantsWith("plant_wrong").getPlant({ id: 1 })),
  await errorOf(plants.getPlant({ id: 404 })),
  await errorOf(plants.createPlant({ newPlant: { id: 1, name: "Ficus" } })),
];
console.log(JSON.stringify({ id: String(BigInt(kept.id)), pages, errors }));
