import { expect, test } from "bun:test";
import { openApiDocument } from "#contract/openapi/document.ts";
import { VERSIONS } from "#contract/version.ts";
import { requestExamples } from "../text/request-examples.ts";
import { type OpenApiDocument, type Operation, operationsOf } from "./openapi.ts";
import { emptyForm, preparedRequest } from "./request.ts";

const document: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument("https://plants.example", VERSIONS[0]!)));
const operations = operationsOf(document);

function operation(id: string): Operation {
  const found = operations.find((each) => each.id === id);
  if (!found) throw new Error(`The document has no operation ${id}`);
  return found;
}

test("an id beyond 2^53 stands in the address to its last digit", () => {
  const form = { ...emptyForm(operation("removePlant")), parameters: { id: "9007199254740993" } };
  const request = preparedRequest(operation("removePlant"), form);
  expect([request.method, request.path]).toEqual(["DELETE", "/v1/plants/9007199254740993"]);
});

test("a body goes out as it was typed, digit by digit", () => {
  const body = '{"id": 9007199254740993, "name": "Monstera"}';
  const form = { ...emptyForm(operation("createPlant")), body };
  expect(preparedRequest(operation("createPlant"), form).body).toBe(body);
});

test("every operation of the document has an address, an example in each language and a form that is filled in", () => {
  const sent = operations.filter(({ isWebhook }) => !isWebhook);
  expect(sent.length).toBeGreaterThan(15);
  for (const each of sent) {
    const request = preparedRequest(each, emptyForm(each));
    expect(request.path).not.toContain("{");
    const examples = requestExamples("https://plants.example", "plant_x", request);
    expect(examples.map(({ language }) => language)).toEqual(["curl", "TypeScript", "Python"]);
    for (const { code } of examples) expect(code).toContain("plants.example/");
    if (each.body?.required && !request.body) throw new Error(`The document has no example of the body of ${each.id}`);
  }
});
