import { createClient } from "./generated/client/index.ts";
import { createPlant, getPlant, listPlants } from "./generated/index.ts";

function clientWith(token: string) {
  return createClient({ baseUrl: process.env.PLANTSTORE_URL, auth: () => token });
}

const client = clientWith(process.env.PLANTSTORE_TOKEN ?? "");
const id = Number("9007199254740993");
await createPlant({ client, body: { id, name: "Monstera deliciosa", tag: "indoor" } });
const { data: kept, error } = await getPlant({ client, path: { id } });
if (!kept) throw new Error(`${error?.error}: ${error?.message}`);
console.log(kept.id, kept.name, kept.created_at);

for (const other of [1, 2]) await createPlant({ client, body: { id: other, name: "Fern" } });
const pages: number[] = [];
for (let cursor: string | undefined | null; cursor !== null; ) {
  const { data } = await listPlants({ client, query: { limit: 2, cursor } });
  pages.push(data?.data.length ?? 0);
  cursor = data?.next_cursor ?? null;
}

const errors = [
  (await listPlants({ client, query: { cursor: "no-cursor" } })).error?.error,
  (await getPlant({ client: clientWith("plant_wrong"), path: { id: 1 } })).error?.error,
  (await getPlant({ client, path: { id: 404 } })).error?.error,
  (await createPlant({ client, body: { id: 1, name: "Ficus" } })).error?.error,
];
console.log(JSON.stringify({ id: String(BigInt(kept.id)), pages, errors }));
