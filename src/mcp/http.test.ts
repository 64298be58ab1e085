import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { SCOPES, type Scope } from "#core/token.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { mcpOverHttp } from "./http.ts";

interface Result {
  readonly tools?: readonly { readonly name: string }[];
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

let app: OpenApp;
let token: string;
/** Replaced by tests that let the service answer something else. */
let answer: (request: Request) => Promise<Response>;
withAppPerFile(async (opened, holder) => {
  app = opened;
  token = await app.token(holder);
});
beforeEach(() => {
  answer = (request) => app.send(new URL(request.url).pathname + new URL(request.url).search, request);
});

const handle = mcpOverHttp((request) => answer(request));

/** Sends one request of the protocol, with the JSON of its body as it is given. */
async function send(method: string, params: string, scopes: readonly Scope[] = SCOPES) {
  const text = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const request = new Request("http://localhost/mcp", { method: "POST", headers, body: text });
  const { response, requests } = await handle({ request, text, token, scopes });
  const body: { result?: Result; error?: { message: string } } = await response.json();
  return { status: response.status, type: response.headers.get("Content-Type"), requests, ...body };
}

function call(name: string, input: object) {
  return send("tools/call", JSON.stringify({ name, arguments: input }));
}

test("a service that begins to answer calls prints nothing beside its log", async () => {
  const printed = (["log", "info", "warn", "error"] as const).map((name) => spyOn(console, name));
  mcpOverHttp((request) => answer(request));
  await send("tools/list", "{}");
  for (const spy of printed) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});

test.each([
  [["plants:read"], ["get_plant", "list_plants", "plant_history", "recent_events"]],
  [["plants:write"], ["add_plant", "edit_plant", "import_plants", "remove_plant", "remove_plants"]],
  [["webhooks:manage"], []],
] as [Scope[], string[]][])("a token with %j is shown %j alone, and cannot call another", async (scopes, names) => {
  const { result, type } = await send("tools/list", "{}", scopes);
  expect(type).toStartWith("application/json");
  expect((result?.tools ?? []).map(({ name }) => name).sort()).toEqual(names);
  const other = names.includes("add_plant") ? "get_plant" : "add_plant";
  const refused = await send("tools/call", `{"name":"${other}","arguments":{"id":"1","name":"x"}}`, scopes);
  expect([refused.result?.structuredContent, refused.requests]).toEqual([undefined, 0]);
});

describe("a tool's answer", () => {
  test("is an error in words where the service answers something else, and the token is not in it", async () => {
    for (const body of ["<html>", '{"name":', "null"]) {
      answer = async () => new Response(body);
      const { result } = await call("get_plant", { id: "1" });
      expect([result?.isError, result?.content?.[0]?.text]).toEqual([true, expect.stringContaining("no Plantstore")]);
      expect(JSON.stringify(result)).not.toContain(token);
    }
  });

  test("comes after one try, since an agent tries again by itself", async () => {
    answer = async () => Response.json({ error: 50301, message: "The storage is full" }, { status: 503 });
    const { result, requests } = await call("list_plants", {});
    expect([requests, result?.isError, result?.content?.[0]?.text]).toEqual([1, true, "50301: The storage is full"]);
  });
});
