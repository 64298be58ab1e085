import createClient from "openapi-fetch";
import type { paths } from "./plantstore.d.ts";

function clientWith(token: string) {
  return createClient<paths>({
    baseUrl: process.env.PLANTSTORE_URL,
    headers: { Authorization: `Bearer ${token}` },
  });
}

const client = clientWith(process.env.PLANTSTORE_TOKEN ?? "");
const id = Number("9007199254740993");
await client.POST("/v1/plants", { body: { id, name: "Monstera deliciosa", tag: "indoor" } });
const { data: kept, error } = await client.GET("/v1/plants/{id}", { params: { path: { id } } });
if (!kept) throw new Error(`${error.error}: ${error.message}`);
console.log(kept.id, kept.name, kept.created_at);

for (const other of [1, 2]) await client.POST("/v1/plants", { body: { id: other, name: "Fern" } });
const pages: number[] = [];
for (let cursor: string | undefined | null; cursor !== null; ) {
  const { data } = await client.GET("/v1/plants", { params: { query: { limit: 2, cursor } } });
  pages.push(data?.data.length ?? 0);
  cursor = data?.next_cursor ?? null;
}

const path = { id: 1 };
const errors = [
  (await client.GET("/v1/plants", { params: { query: { cursor: "no-cursor" } } })).error?.error,
  (await clientWith("plant_wrong").GET("/v1/plants/{id}", { params: { path } })).error?.error,
  (await client.GET("/v1/plants/{id}", { params: { path: { id: 404 } } })).error?.error,
  (await client.POST("/v1/plants", { body: { id: 1, name: "Ficus" } })).error?.error,
];
console.log(JSON.stringify({ id: String(BigInt(kept.id)), pages, errors }));
