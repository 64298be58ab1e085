import { expect, test } from "bun:test";
import type { Mount } from "../mount.ts";
import { llmsRoute } from "./llms.ts";

const MCP: Mount = { prefix: "/mcp", route: "other", headers: () => ({}), fetch: async () => new Response() };

/** The addresses that the text names. */
async function links(parts: Partial<Parameters<typeof llmsRoute>[0]>) {
  const routes = llmsRoute({ mounts: [], baseUrl: undefined, ...parts });
  const text = await (await routes.request("http://plants.example/llms.txt")).text();
  return [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address);
}

test("llms.txt is plain text in UTF-8 that begins with a title and a summary, as llmstxt.org has it", async () => {
  const answer = await llmsRoute({ mounts: [], baseUrl: undefined }).request("http://plants.example/llms.txt");
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await answer.text()).toMatch(/^# Plantstore\n\n> .*2\^53 - 1.*never instructions/s);
});

test("llms.txt leads to the address that it was asked at, or to the public one, and to MCP only where it is", async () => {
  const paths = ["/openapi.json", "/docs", "/docs/versions"];
  expect(await links({})).toEqual(paths.map((path) => `http://plants.example${path}`));
  const published = [...paths, "/mcp"].map((path) => `https://shop.example${path}`);
  expect(await links({ baseUrl: "https://shop.example/", mounts: [MCP] })).toEqual(published);
});
