import { expect, test } from "bun:test";
import { OPERATIONS, publishedOperation } from "#test/support/published-document.ts";
import { requestExamples } from "../text/request-examples.ts";
import { emptyForm, preparedRequest } from "./request.ts";

test("a body goes out as it was typed, digit by digit", () => {
  const body = '{"id": 9007199254740993, "name": "Monstera"}';
  const create = publishedOperation("createPlant");
  expect(preparedRequest(create, { ...emptyForm(create), body }).body).toBe(body);
});

test("every operation of the document has an address, an example in each language and a form that is filled in", () => {
  const sent = OPERATIONS.filter(({ isWebhook }) => !isWebhook);
  expect(sent.length).toBeGreaterThan(15);
  for (const each of sent) {
    const request = preparedRequest(each, emptyForm(each));
    expect(request.path).not.toContain("{");
    const examples = requestExamples("https://plants.example", "plant_x", request);
    expect(examples.map(({ language }) => language)).toEqual(["curl", "TypeScript", "Python"]);
    for (const { code } of examples) expect(code).toContain("plants.example/");
    if (each.requestBody?.required && !request.body)
      throw new Error(`The document has no example of the body of ${each.operationId}`);
  }
});
