import { expect, test } from "bun:test";
import { missingPython, python } from "./support/python-client.ts";
import { cuttingService } from "./support/scripted-service.ts";
import { startService } from "./support/service.ts";
import { describeUnless } from "./support/skipped.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

/** For asyncio; without its words it is the program for the plain client. */
const PROGRAM = `
import asyncio, sys
from plantstore import AsyncPlantstore, PlantstoreError

url, token, receiver = sys.argv[1:]
exchanges = []

async def main():
    headers = {"traceparent": "00-a-b-01", "authorization": "Bearer of-another"}
    async with AsyncPlantstore(url, token, headers=headers, on_exchange=exchanges.append) as store:
        await store.create(9007199254740993, "Fern")
        [event] = (await store.event_page()).events
        print((await store.event(event.id)) == event, (await store.event_page(cursor=event.cursor)).events)
        print((await store.send_test_event("plant.removed")).streams)
        try:
            await store.create(9007199254740993, "Ficus")
        except PlantstoreError as refused:
            print(refused.code, exchanges[-1].error is refused)
        webhooks = store.webhooks
        made = await webhooks.create(receiver, events=["plant.created"], description="shop")
        print(made.secret.startswith("whsec_"), made.secret in repr(made))
        changed = await webhooks.change(made.id, description="shelf", events=["plant.created", "plant.removed"])
        print(changed.description, changed.events, changed.secret, changed == await webhooks.get(made.id))
        print([each.id for each in await webhooks.list()] == [made.id])
        delivery = await webhooks.test(made.id, "plant.removed")
        print(delivery.type, delivery.status, delivery.http_status, delivery.at >= made.created_at)
        print((await webhooks.replay(made.id, events=[event.id])) != "")
        while not (page := await webhooks.deliveries(made.id, event=event.id, limit=1)).deliveries:
            await asyncio.sleep(0.05)
        print(page.deliveries[0].status, page.next_cursor)
        rolled = await webhooks.roll_secret(made.id, "1h")
        print(rolled.secret != made.secret, len(rolled.secrets), rolled.secrets[0].expires_at is None)
        await webhooks.remove(made.id)
        print(list(await webhooks.list()))
        first = exchanges[0]
        print(first.method, first.url == f"{url}/v1/plants", first.attempt, first.status, first.body)
        print(first.duration > 0, "request-id" in first.headers, first.error)

asyncio.run(main())
`;
const PLAIN = PROGRAM.replace("import asyncio", "import time")
  .replace("asyncio.run(main())", "main()")
  .replaceAll(/asyncio|Async|\b(?:async|await) /g, (word) => (word === "asyncio" ? "time" : ""));

describeUnless(missingPython(), "the client in Python", () => {
  test.concurrent.each([
    ["asyncio", PROGRAM],
    ["plain", PLAIN],
  ])("%s: manages webhooks, and tells of each try", async (_, program) => {
    const service = await startService({ settings: { WEBHOOK_NETWORKS: "127.0.0.0/8" } });
    const receiver = new WebhookReceiver();
    try {
      const token = await service.token({ scopes: ["plants:read", "plants:write", "webhooks:manage"] });
      const run = python("-c", program, service.url, token, receiver.url);
      const child = Bun.spawn({ ...run, stdout: "pipe", stderr: "inherit" });
      expect((await new Response(child.stdout).text()).split("\n")).toEqual([
        "True []",
        "0",
        "id-taken True",
        "True False",
        "shelf ['plant.created', 'plant.removed'] None True",
        "True",
        "plant.removed succeeded 204 True",
        "True",
        "succeeded None",
        "True 2 True",
        "[]",
        `POST True 1 200 b'{"name":"Fern"}'`,
        "True True None",
        "",
      ]);
      expect(receiver.received).toHaveLength(2);
    } finally {
      await service.stop();
      await receiver.stop();
    }
  });

  test("an export that is cut never ends in silence", async () => {
    const time = "2026-11-21T08:00:00.000Z";
    const line = `{"id":1,"name":"Aloe","created_at":"${time}","updated_at":"${time}"}\n`;
    const head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
    using service = cuttingService(`${head}${line.length.toString(16)}\r\n${line}\r\n`);
    const program = `
import sys
from plantstore import Plantstore, PlantstoreUnreachable
try:
    for plant in Plantstore(sys.argv[1], "plant_x").export():
        print(plant.name)
except PlantstoreUnreachable as error:
    print(error.reason)`;
    const child = Bun.spawn({ ...python("-c", program, service.url), stdout: "pipe", stderr: "inherit" });
    expect(await new Response(child.stdout).text()).toBe("Aloe\nnetwork\n");
    expect(service.requests).toHaveLength(1);
  });

  test("a hook is told of the tries that fail too, and its error ends the call", async () => {
    const program = `
from plantstore import Plantstore, PlantstoreUnreachable
seen = []
try:
    Plantstore("http://127.0.0.1:9", "plant_x", timeout=0.5, on_exchange=lambda e: seen.append((e.attempt, e.status))).get(1)
except PlantstoreUnreachable:
    print(seen[:2])
def refuse(_):
    raise KeyError("mine")
try:
    Plantstore("http://127.0.0.1:9", "plant_x", on_exchange=refuse).get(1)
except KeyError as error:
    print(error)`;
    const child = Bun.spawn({ ...python("-c", program), stdout: "pipe", stderr: "inherit" });
    expect(await new Response(child.stdout).text()).toBe("[(1, None), (2, None)]\n'mine'\n");
  });
});
