import { expect, test } from "bun:test";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "#contract/v1/version.ts";
import { atEnd } from "./support/at-end.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { COMMAND, startService, temporaryFolder } from "./support/service.ts";
import { openTerminal } from "./support/terminal.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

test("the log has a JSON line for start, refused token with its caller's trace, and stop; of a flood one line for most", async () => {
  const service = await startService();
  const token = await service.token();
  await service.send("POST", "/v1/plants", { as: token, body: { id: 1, name: "Fern" } });
  const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  const refused = await service.send("GET", "/v1/plants/1", { as: "plant_x".repeat(6), headers });
  for (let more = 0; more < 24; more++) await fetch(`${service.url}/v1/plants`);
  await service.stop();
  const lines = service.log();
  for (const { level, time, msg } of lines)
    expect([level, time, msg].map((value) => typeof value)).toEqual(["string", "string", "string"]);
  const messages = lines.map(({ msg }) => msg);
  expect(lines[0]).toMatchObject({ msg: "listening", version: VERSION, runtime: `Bun ${Bun.version}` });
  expect(messages).toContain("stopping");
  expect(messages).toContain("stopped");
  const line = { level: "warn", request_id: refused.headers.get("Request-Id") };
  const position = { trace_id: TRACE, span_id: "00f067aa0ba902b7" };
  expect(lines.find(({ msg }) => msg === "token refused")).toMatchObject({ ...line, ...position });
  expect(messages.filter((msg) => msg === "token refused")).toHaveLength(20);
  expect(lines.find(({ msg }) => msg === "repeated: token refused")).toMatchObject({ count: 5 });
  // Requests have lines only at debug level.
  expect(messages).not.toContain("request");
});

test("at every level the address and the link for the first account are printed", async () => {
  const service = await startService({ settings: { LOG_LEVEL: "error" } });
  const messages = () => service.log().map(({ msg }) => msg);
  await eventually("both are printed", () => messages().length === 2);
  expect(messages()).toEqual(["listening", "open this link to make the first account"]);
  await service.stop();
});

test("at debug level each request has a line with its id, and no line ever has a token", async () => {
  const service = await startService({ settings: { LOG_LEVEL: "debug" } });
  const token = await service.token();
  const sent = { as: token, headers: { Cookie: "session=cookie-of-a-reader" } };
  const answer = await service.send("POST", "/v1/plants", { ...sent, body: { id: 1, name: "Fern" } });
  await service.send("GET", `/v1/plants?access_token=${token}`, sent);
  await service.stop();
  expect(service.output()).toContain(`"request_id":"${answer.headers.get("Request-Id")}"`);
  expect(service.output()).not.toContain(token);
  expect(service.output()).not.toContain("cookie-of-a-reader");
});

test("a pipe of the log that nobody reads stops neither creates nor the stop of the service", async () => {
  const prepared = await startService();
  const token = await prepared.token();
  await prepared.stop();
  const pipe = join(prepared.folder, "log");
  Bun.spawnSync(["mkfifo", pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY);
  const port = freePort();
  const environment = { ...prepared.environment, PORT: String(port), LOG_LEVEL: "debug" };
  const child = Bun.spawn([COMMAND, "serve"], { cwd: prepared.folder, env: environment, stdout: writer });
  atEnd(() => child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  await eventually("it serves", async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok ?? false);
  // A pipe takes 64 KiB, and these are three times as much.
  for (let id = 0; id < 1000; id++) {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/v1/plants`, { method: "POST", headers, body: `{"id":${id},"name":"Fern"}` });
    expect(answer.status).toBe(200);
  }
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  for (const end of [reader, writer]) closeSync(end);
});

test("as text it is readable, and says what to do next", async () => {
  const service = await startService({ settings: { LOG_FORMAT: "text" } });
  await eventually("it says what to do", () => service.output().includes(`${service.url}/docs`));
  await service.stop();
  expect(service.output()).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: listening/m);
  expect(service.output()).toContain("bin/plantstore token create");
});

test.each([
  ["with colors", {}, true],
  ["without, where NO_COLOR is set", { NO_COLOR: "1" }, false],
] as const)("on a terminal the log is text, %s", async (_how, settings, colored) => {
  const cwd = temporaryFolder();
  const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", PORT: "0", ...settings };
  const terminal = openTerminal([COMMAND, "serve"], { cwd, env: environment });
  await terminal.shows("listening");
  const line =
    terminal
      .screen()
      .split("\n")
      .find((text) => text.includes("listening")) ?? "";
  expect(line.includes("\u001b[")).toBe(colored);
  terminal.process.kill("SIGTERM");
  await terminal.process.exited;
  terminal.close();
});
