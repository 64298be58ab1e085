import type { Observer } from "#core/observer.ts";
import type { App } from "#http/app.ts";
import { mcpMount } from "#http/mcp-mount.ts";
import type { HttpServer } from "#http/service-parts.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { Lanes } from "#load/lanes.ts";
import { READING_THREADS } from "#load/limit-groups.ts";
import { Thread } from "#threads/thread.ts";
import type { Settings } from "../settings.ts";
import { type ApiFunctions, headOf, type McpFunctions, packed, unpacked } from "./mcp-functions.ts";

/** Each waits for requests of its own to the API. */
const MCP = READING_THREADS.row("calls of tools", "account", { each: 2, all: 8, waitingEach: 64, waiting: 512 });

/** Tools' requests come from inside the process, without a connection or a client at the other end. */
const WITHIN: HttpServer = { timeout() {}, requestIP: () => null, pendingRequests: 0 };

/** `POST /mcp`, where it is turned on. Its thread is started by the first call. */
export function openMcp({ MCP: isOn }: Settings, app: () => App, observer: Pick<Observer, "failed">) {
  const ours: ApiFunctions = {
    request: async ({ url, ...request }) => packed(await app().fetch(new Request(url, request), WITHIN)),
  };
  const thread = new Thread<McpFunctions>({
    start: () => new Worker(new URL("./mcp-worker.ts", import.meta.url), { smol: true }),
    ours,
    onFailed: (error) => observer.failed("reader", error),
  });
  const queue = new FairQueue(MCP);
  const lanes = new Lanes(
    queue,
    Array.from({ length: MCP.all }, () => thread),
  );
  const mount = mcpMount({
    requireRoom: (subject) => queue.requireRoom(subject),
    read: (subject, text) => lanes.ask(subject, "body", text),
    async answer({ request, subject, ...call }) {
      const { requests, fault, ...answer } = await lanes.ask(subject, "call", { ...call, head: headOf(request) });
      return { response: unpacked(answer), requests, fault };
    },
  });
  return { mounts: isOn === "on" ? [mount] : [], [Symbol.dispose]: () => thread.close() };
}
