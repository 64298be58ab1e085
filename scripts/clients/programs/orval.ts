import { createPlant, getPlant, listPlants } from "./plantstore.ts";

function as(token: string): RequestInit {
  return { headers: { Authorization: `Bearer ${token}` } };
}

const own = as(process.env.PLANTSTORE_TOKEN ?? "");
const id = 9007199254740993n;
await createPlant({ id, name: "Monstera deliciosa", tag: "indoor" }, own);
const read = await getPlant(id, own);
if (read.status !== 200) throw new Error(JSON.stringify(read.data));
console.log(read.data.id, read.data.name, read.data.created_at);

for (const other of [1n, 2n]) await createPlant({ id: other, name: "Fern" }, own);
const pages: number[] = [];
for (let cursor: string | undefined | null; cursor !== null; ) {
  const page = await listPlants({ limit: 2, cursor }, own);
  if (page.status !== 200) throw new Error(JSON.stringify(page.data));
  pages.push(page.data.data.length);
  cursor = page.data.next_cursor;
}

const answers = [
  await listPlants({ cursor: "no-cursor" }, own),
  await getPlant(1n, as("plant_wrong")),
  await getPlant(404n, own),
  await createPlant({ id: 1n, name: "Ficus" }, own),
];
const errors = answers.map(({ data }) => (data && "error" in data ? data.error : 0));
console.log(JSON.stringify({ id: String(read.data.id), pages, errors }));
