import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import type { Log } from "#core/log.ts";
import type { RequestSink } from "#core/request.ts";
import { MemoryCounts } from "#load/throttle.ts";
import { contextOfRequest } from "#test/support/request-context.ts";
import { readText } from "./body.ts";
import { newGuards } from "./guards.ts";
import type { ServedRequest } from "./request-context.ts";
import { type RequestHandler, respond } from "./respond.ts";
import { SILENCE_MS_MAX } from "./unfinished-bodies.ts";

const SILENT: Log = { error() {}, warn() {}, info() {}, debug() {}, debugEnabled: false };

function contextOf(request: Request, sinks: RequestSink[] = []): ServedRequest {
  const guards = newGuards(undefined, new MemoryCounts());
  const clientInfoOf = ({ headers }: Request) => ({ origin: "http://localhost", address: "192.0.2.7", headers });
  const tokens = { lastSeen: () => undefined };
  const parts = { guards, clientInfoOf, tokens, log: SILENT, leaving: new Set<never>(), observation: { sinks } };
  return contextOfRequest(request, parts);
}

/** A request whose body arrives when `send` is called. */
function slowRequest(): { request: Request; send: () => void } {
  let send = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = () => {
        controller.enqueue(Buffer.from("{}"));
        controller.close();
      };
    },
  });
  return { request: new Request("http://localhost/v1/plants", { method: "POST", body }), send };
}

function answer(context: ServedRequest, handler: RequestHandler): Promise<Response> {
  return respond(context, handler, () => ({ "X-Of-All": "1" }));
}

test("a body that stalls is answered 408, and when it comes after all the handler keeps nothing of it", async () => {
  const { request, send } = slowRequest();
  const context = contextOf(request);
  let kept = 0;
  let handled: Promise<unknown> = Promise.resolve();
  const response = answer(context, (it) => {
    const reading = readText(it, 1).then((text) => {
      kept += text.length;
      return new Response(text);
    });
    handled = reading.catch(() => {});
    return reading;
  });
  context.service.guards.unfinishedBodies.refuseStalled(context.startedAt + SILENCE_MS_MAX + 1);
  expect((await response).status).toBe(408);
  expect(await (await response).json()).toMatchObject({ error: 40801 });
  send();
  await handled;
  expect([kept, context.status, context.errorNumber]).toEqual([0, 408, 40801]);
});

test("a handler that fails, at once or later, is answered with the headers of every answer", async () => {
  const failing: RequestHandler[] = [
    () => {
      throw new Error("at once");
    },
    async () => {
      throw new Error("later");
    },
  ];
  for (const handler of failing) {
    const response = await answer(contextOf(new Request("http://localhost/")), handler);
    expect([response.status, response.headers.get("X-Of-All")]).toEqual([500, "1"]);
    expect(await response.text()).not.toContain("later");
  }
});

test("a request ends once: every sink is told of it one time", async () => {
  const ends: number[] = [];
  const sink: RequestSink = { requestEnded: ({ status }) => void ends.push(status) };
  const context = contextOf(new Request("http://localhost/"), [sink]);
  await answer(context, async (it) => {
    it.refuse(new Failure("fault", "meanwhile"));
    return new Response("too late");
  });
  await Bun.sleep(1);
  expect(ends).toEqual([500]);
});

test("a sink that fails leaves no request without an end", async () => {
  const sink: RequestSink = {
    requestEnded() {
      throw new Error("the sink is broken");
    },
  };
  const context = contextOf(new Request("http://localhost/"), [sink]);
  await expect(answer(context, async () => new Response("kept"))).rejects.toThrow("the sink is broken");
});
