import { expect, test } from "bun:test";
import { openApiDocument } from "#contract/openapi/document.ts";
import { VERSIONS } from "#contract/version.ts";
import { PATH_WITH_CURL } from "#test/support/curl.ts";
import { type OpenApiDocument, type Operation, operationsOf } from "./openapi.ts";
import { emptyForm, preparedRequest, requestExamples } from "./request.ts";

const document: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument("https://plants.example", VERSIONS[0]!)));
const operations = operationsOf(document);

function operation(id: string): Operation {
  const found = operations.find((each) => each.id === id);
  if (!found) throw new Error(`The document has no operation ${id}`);
  return found;
}

test("an id beyond 2^53 stands in the address to its last digit", () => {
  const form = { ...emptyForm(document, operation("removePlant")), parameters: { id: "9007199254740993" } };
  const request = preparedRequest(operation("removePlant"), form);
  expect([request.method, request.path]).toEqual(["DELETE", "/v1/plants/9007199254740993"]);
});

test("a body goes out as it was typed, digit by digit", () => {
  const body = '{"id": 9007199254740993, "name": "Monstera"}';
  const form = { ...emptyForm(document, operation("createPlant")), body };
  expect(preparedRequest(operation("createPlant"), form).body).toBe(body);
});

test("every operation of the document has an address, an example in each language and a form that is filled in", () => {
  expect(operations.length).toBeGreaterThan(15);
  for (const each of operations) {
    const request = preparedRequest(each, emptyForm(document, each));
    expect(request.path).not.toContain("{");
    const examples = requestExamples("https://plants.example", "plant_x", request);
    expect(examples.map(({ language }) => language)).toEqual(["curl", "TypeScript", "Python"]);
    for (const { code } of examples) expect(code).toContain("plants.example/");
    if (each.body?.required && !request.body) throw new Error(`The document has no example of the body of ${each.id}`);
  }
});

test.each([
  ["curl", (file: string) => ["sh", file], "sh"],
  ["TypeScript", (file: string) => [process.execPath, file], "ts"],
  ["Python", (file: string) => ["python3", file], "py"],
] as const)(
  "the %s example runs as it stands and sends exactly what was filled in",
  async (language, command, suffix) => {
    if (!Bun.which(language === "Python" ? "python3" : "sh")) return console.log(`skipped: no ${language} here`);
    const seen: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        seen.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
        seen.push(await request.text());
        return new Response("it's there");
      },
    });
    const body = '{"id": 9007199254740993, "name": "Ma\'s \\"fern\\""}';
    const form = { ...emptyForm(document, operation("createPlant")), body };
    const request = preparedRequest(operation("createPlant"), form);
    const shown = requestExamples(server.url.origin, "plant_x", request).find((each) => each.language === language);
    const file = `${process.env.TMPDIR ?? "/tmp"}/plantstore-reference-${process.pid}.${suffix}`;
    await Bun.write(file, shown?.code ?? "");
    const child = Bun.spawn(command(file), {
      env: { ...process.env, PATH: PATH_WITH_CURL },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [printed] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    await Bun.file(file).delete();
    await server.stop(true);
    expect(seen).toEqual(["POST /v1/plants Bearer plant_x", body]);
    expect(printed).toContain("it's there");
  },
);
