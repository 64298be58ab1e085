import { afterAll, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { eventually } from "#test/support/eventually.ts";
import { outcomeOf } from "#test/support/process.ts";
import { COMMAND, startService } from "#test/support/service.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";

const service = await startService({ settings: { WEBHOOK_NETWORKS: "127.0.0.1" } });
const token = await service.token({ scopes: ["plants:read", "plants:write", "webhooks:manage"] });
const receiver = new WebhookReceiver();
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

function start(...args: string[]) {
  const env = { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: token };
  return Bun.spawn([COMMAND, ...args], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
}

const run = (...args: string[]) => outcomeOf(start(...args));

async function json(...args: string[]) {
  const { out, problem } = await run(...args, "--json");
  if (out === "") throw new Error(problem);
  return JSON.parse(out);
}

const create = (id: number) => service.send("POST", "/v1/plants", { as: token, body: { id, name: `plant ${id}` } });

test("`events tail` ends, and has not failed, once its reader has gone", async () => {
  const child = start("events", "tail", "--json");
  await child.stdout.cancel();
  let id = 5000;
  while (child.exitCode === null) {
    await create(id++);
    await Bun.sleep(20);
  }
  expect([child.exitCode, await new Response(child.stderr).text()]).toEqual([0, ""]);
});

describe("`listen`", () => {
  test("forwards events as webhooks, with one secret at every start, and tells at Ctrl-C where to go on", async () => {
    const secret = (await run("listen", "--print-secret")).out.trim();
    expect((await run("listen", "--print-secret")).out.trim()).toBe(secret);
    const child = start("listen", "--forward-to", receiver.url, "--json");
    let plant = 20;
    await eventually("three events are forwarded", () => {
      void create(plant++);
      return receiver.received.length >= 3;
    });
    const sent = await json("trigger", "plant.changed");
    expect(sent).toMatchObject({ streams: 1 });
    await eventually("the test event is forwarded", () => receiver.received.some(({ id }) => id === sent.id));
    for (const { body, headers } of receiver.received) new Webhook(secret).verify(body, headers);
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
    const last = (await new Response(child.stderr).text()).trim().split("\n").at(-1) ?? "";
    const [, id, cursor = ""] =
      /^plantstore: Stopped\. Everything up to (\S+) was forwarded; go on with --cursor (\S+)$/.exec(last) ?? [];
    expect(receiver.received.map((each) => each.id)).toContain(id as string);
    const rest = await json("events", "list", "--cursor", cursor);
    expect(rest.data.map((event: { id: string }) => event.id)).not.toContain(id);
    const lines = (await new Response(child.stdout).text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ type: "plant.created", status: 204 });
  });
});
