import { describe, expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { ERRORS } from "../errors.ts";
import { openApiDocument } from "./document.ts";

describe("the published OpenAPI document", () => {
  test("passes Redocly's strict rules", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    const source = JSON.stringify(openApiDocument());
    const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test("names every error, with what it means", () => {
    const { description } = openApiDocument().info;
    for (const { error, status, when } of Object.values(ERRORS)) {
      expect(description).toContain(`| ${error} | ${status} | ${when} |`);
    }
  });

  test("describes the create as the interface has it", () => {
    const { schemas } = openApiDocument().components as { schemas: Record<string, object> };
    expect(schemas.NewPlant).toMatchObject({
      required: ["id", "name"],
      properties: { id: { type: "integer", format: "int64" }, name: { type: "string" }, tag: { type: "string" } },
    });
    expect(schemas.Plant).toMatchObject({ required: ["name"] });
    expect(Object.keys((schemas.Plant as { properties: object }).properties)).toEqual(["name", "tag"]);
    expect(schemas.Error).toMatchObject({ required: ["error", "message"], properties: { error: { format: "int32" } } });
  });
});
