import { expect, test } from "bun:test";
import { eventually } from "./support/eventually.ts";
import { PLANT } from "./support/raw-client.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { rawRequest } from "./support/raw-request.ts";
import { startService } from "./support/service.ts";
import { everyPlant, SingleCreates } from "./support/single-creates.ts";

test("SIGTERM under load answers every request that it accepted, loses nothing, and exits 0", async () => {
  let service = await startService();
  const token = await service.token();
  for (let round = 0; round < 3; round++) {
    const load = new SingleCreates(service.url, token, 32);
    await load.acknowledges(300);
    const code = await service.stop();
    await load.end();
    expect(code).toBe(0);
    expect([...load.refused.keys()].filter((status) => status !== 503)).toEqual([]);
    service = await service.restart();
    const found = await everyPlant(service.url, token);
    expect([...load.acknowledged].filter((id) => !found.has(id))).toEqual([]);
    // A request that was sent after the listener had closed reaches nobody. No accepted request may be lost.
    expect([...load.unanswered].filter((id) => found.has(id))).toEqual([]);
  }
  expect(await service.stop()).toBe(0);
});

test("while it stops, what is under way is finished, and new work is refused 503 with Connection: close, which is no error of the log", async () => {
  const service = await startService();
  const authorization = `Authorization: Bearer ${await service.token()}`;
  const [slow, next] = [await RawConnection.open(service.url), await RawConnection.open(service.url)];
  const whole = rawRequest({ headers: [authorization], body: PLANT });
  await slow.send(whole.subarray(0, -5));
  await next.send(rawRequest({ method: "GET", target: "/healthz" }));
  expect(await next.answer()).toMatchObject({ status: 200 });
  service.process.kill("SIGTERM");
  await eventually("it stops", () => service.output().includes("stopping"));
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  await next.send(whole);
  const refused = await next.answer();
  expect(refused).toMatchObject({ status: 503 });
  expect(JSON.parse(refused?.body ?? "").error).toBe(50301);
  expect(refused?.headers.get("connection")).toBe("close");
  expect(refused?.headers.get("retry-after")).toMatch(/^\d+$/);
  await slow.send(whole.subarray(-5));
  expect(await slow.answer()).toMatchObject({ status: 200, body: '{"name":"Ficus"}' });
  expect(await service.process.exited).toBe(0);
  expect(service.output()).not.toContain('"level":"error"');
});
