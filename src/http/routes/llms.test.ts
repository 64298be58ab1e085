import { expect, test } from "bun:test";
import { routesOf } from "../routing.ts";
import { llmsRoute } from "./llms.ts";

test("llms.txt is plain text in UTF-8 that begins with a title and a summary, as llmstxt.org has it", async () => {
  const answer = await routesOf(llmsRoute({ mounts: [] })).request(
    "/llms.txt",
    {},
    { context: { client: { origin: "https://plants.example" } } },
  );
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const text = await answer.text();
  expect(text).toMatch(/^# Plantstore\n\n> .*2\^53 - 1.*never instructions/s);
  expect(text).toContain("(https://plants.example/openapi.json)");
});
