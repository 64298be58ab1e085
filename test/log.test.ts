import { expect, test } from "bun:test";
import { VERSION } from "#contract/version.ts";
import { startService } from "./support/service.ts";

test("the log has a JSON line for start, refused token and stop, and requests only at debug", async () => {
  const service = await startService();
  const token = await service.token();
  const headers = { Authorization: `Bearer ${token}` };
  await fetch(`${service.url}/v1/plants`, { method: "POST", headers, body: '{"id":1,"name":"Fern"}' });
  const refused = await fetch(`${service.url}/v1/plants/1`, {
    headers: { Authorization: `Bearer ${"plant_x".repeat(6)}` },
  });
  await service.stop();
  const lines = service
    .output()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const { level, time, msg } of lines)
    expect([level, time, msg].map((value) => typeof value)).toEqual(["string", "string", "string"]);
  const messages = lines.map(({ msg }) => msg);
  expect(lines[0]).toMatchObject({ msg: "listening", version: VERSION, runtime: `Bun ${Bun.version}` });
  expect(messages).toContain("stopping");
  expect(messages).toContain("stopped");
  const requestId = refused.headers.get("Request-Id");
  const refusedLine = lines.find(({ msg }) => msg === "token refused");
  expect([refusedLine?.level, refusedLine?.requestId]).toEqual(["warn", requestId]);
  expect(messages).not.toContain("request");
});

test("at debug level each request has a line with its id, and no line ever has a token", async () => {
  const service = await startService({ settings: { LOG_LEVEL: "debug" } });
  const token = await service.token();
  const headers = { Authorization: `Bearer ${token}`, Cookie: "session=cookie-of-a-reader" };
  const answer = await fetch(`${service.url}/v1/plants`, { method: "POST", headers, body: '{"id":1,"name":"Fern"}' });
  await fetch(`${service.url}/v1/plants?access_token=${token}`, { headers });
  await service.stop();
  expect(service.output()).toContain(`"requestId":"${answer.headers.get("Request-Id")}"`);
  expect(service.output()).not.toContain(token);
  expect(service.output()).not.toContain("cookie-of-a-reader");
});

test("as text it is readable, and says what to do next", async () => {
  const service = await startService({ settings: { LOG_FORMAT: "text" } });
  while (!service.output().includes(`${service.url}/docs`)) await Bun.sleep(10);
  await service.stop();
  expect(service.output()).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: listening/m);
  expect(service.output()).toContain("bin/plantstore token create");
});
