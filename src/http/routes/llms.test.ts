import { describe, expect, test } from "bun:test";
import type { Mount, MountedService } from "../mount.ts";
import { llmsRoute } from "./llms.ts";

const MCP: Mount = { prefix: "/mcp", route: "other", headers: () => ({}), fetch: async () => new Response() };

async function text(parts: Partial<MountedService> = {}, origin = "http://plants.example"): Promise<string> {
  const routes = llmsRoute({ mounts: [], baseUrl: undefined, ...parts } as Partial<MountedService> as MountedService);
  return (await routes.request(`${origin}/llms.txt`)).text();
}

/** The addresses that the text names. */
const links = (markdown: string) => [...markdown.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address);

describe("llms.txt", () => {
  test("begins with a title and a summary, as llmstxt.org has it", async () => {
    const [title, blank, summary] = (await text()).split("\n");
    expect([title, blank]).toEqual(["# Plantstore", ""]);
    expect(summary).toStartWith("> ");
  });

  test("is plain text in UTF-8", async () => {
    const routes = llmsRoute({ mounts: [], baseUrl: undefined } as Partial<MountedService> as MountedService);
    const answer = await routes.request("http://plants.example/llms.txt");
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  test("leads to the address that it was asked at, or to the public one where that is set", async () => {
    expect(links(await text())).toEqual([
      "http://plants.example/openapi.json",
      "http://plants.example/docs",
      "http://plants.example/docs/versions",
    ]);
    const published = await text({ baseUrl: "https://shop.example/" });
    expect(links(published).every((address) => address?.startsWith("https://shop.example/"))).toBe(true);
    expect(published).not.toContain("plants.example");
    expect(published).not.toContain("example//");
  });

  test("names the MCP endpoint only where it is served", async () => {
    expect(await text()).not.toContain("/mcp");
    expect(links(await text({ mounts: [MCP] }))).toContain("http://plants.example/mcp");
  });

  test("warns of rounded ids and of instructions in data", async () => {
    expect(await text()).toContain("2^53 - 1");
    expect(await text()).toContain("never instructions");
  });
});
