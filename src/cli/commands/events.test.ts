import { describe, expect, test } from "bun:test";
import type { z } from "zod";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import type { eventPageSchema } from "#contract/v1/event-schemas.ts";
import { eventually } from "#test/support/eventually.ts";
import { withServedApp } from "#test/support/served-app.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";

type Page = z.infer<typeof eventPageSchema>;

const service = withServedApp();

const events = (...options: string[]) => service.json<Page>("events", "list", ...options);

/**
 * Runs a command that follows the feed until it has printed `last`, then presses Ctrl-C. Once it listens, `act` is given a
 * client, since a second command would share the output.
 */
async function whileFollowing(
  args: readonly string[],
  last: string,
  act: (client: PlantstoreClient) => Promise<unknown> = async () => undefined,
) {
  const following = service.start(...args);
  const client = new PlantstoreClient({ url: service.url, token: service.token });
  await eventually("the command listens", async () => (await client.sendTestEvent()).streams > 0);
  await act(client);
  await eventually(`${last} is shown`, () => following.out().includes(last));
  process.emit("SIGINT");
  return following.ended;
}

describe("`events list`", () => {
  test("shows a page in the shape of the API, with every digit of an id, and where to go on", async () => {
    await service.run("plants", "add", "9007199254740993", "Aloe\u001b[2J");
    await service.run("plants", "remove", "9007199254740993");
    const page = await events("--limit", "1");
    expect(page).toMatchObject({
      data: [{ type: "plant.created", data: { plant_id: "9007199254740993" } }],
      has_more: true,
    });
    const rest = await events("--cursor", page.next_cursor ?? "", "--type", "plant.removed");
    expect([rest.data.map(({ type }) => type), rest.has_more]).toEqual([["plant.removed"], false]);
    const { out, problem } = await service.run("events", "list", "--limit", "1");
    expect(out).toMatch(/Z {2}plant\.created {2}9007199254740993 {2}Aloe\\u001b\[2J {2}evt_\w+\n$/);
    expect(problem).toBe(`Go on with --cursor ${page.next_cursor}\n`);
  });

  test("of a cursor that is none fails with the service's sentence", async () => {
    const { code, out, problem } = await service.run("events", "list", "--cursor", "x\u001b[2J");
    expect([code, out, problem]).toEqual([1, "", expect.stringContaining("40004")]);
    expect(problem).not.toContain("\u001b");
  });
});

describe("`events tail`", () => {
  test("shows what happens from now on, and at Ctrl-C succeeds and says where to go on", async () => {
    await service.run("plants", "add", "1", "before");
    const tail = ["events", "tail", "--json"];
    const { code, out, problem } = await whileFollowing(tail, '"plant_id":"2"', (client) =>
      client.create({ id: 2, name: "during" }),
    );
    const lines = out.trim().split("\n");
    const shown = lines.map((line) => JSON.parse(line));
    expect(shown.filter(({ test: isTest }) => !isTest).map(({ data }) => data.plant_id)).toEqual(["2"]);
    const [, id, cursor = ""] = /Everything up to (\S+) was shown; go on with --cursor (\S+)\n$/.exec(problem) ?? [];
    expect([code, id]).toEqual([0, shown.at(-1)?.id]);
    expect((await events("--cursor", cursor)).data).toEqual([]);
  });

  test("fails with the refusal where the token is refused", async () => {
    const { code, problem } = await service.run("events", "tail", "--token", "plant_x");
    expect([code, problem]).toEqual([1, expect.stringContaining("40102")]);
  });
});

describe("`listen`", () => {
  test("forwards an event signed, tells the receiver's answer, and never prints the token", async () => {
    const receiver = new WebhookReceiver();
    const secret = (await service.run("listen", "--print-secret")).out.trim();
    receiver.status = 500;
    const { out, problem } = await whileFollowing(["listen", "--forward-to", receiver.url], "  500  ");
    receiver.verify(secret);
    await receiver.stop();
    expect(out).toMatch(/^evt_test_\S+ {2}plant\.created {2}500 {2}\d+ ms\n/);
    expect(problem).toContain(`The secret is ${secret}: `);
    expect(out + problem).not.toContain(service.token);
  });

  test("tells a receiver that is not there from one that answers, and goes on", async () => {
    const nobody = "http://127.0.0.1:1/";
    const { code, out } = await whileFollowing(["listen", "--forward-to", nobody, "--json"], "no answer");
    expect(code).toBe(0);
    expect(JSON.parse(out.split("\n")[0] ?? "")).toMatchObject({ type: "plant.created", status: "no answer" });
  });

  test("with --json prints the secret and what fails as JSON alone", async () => {
    const { out } = await service.run("listen", "--print-secret", "--json");
    expect(JSON.parse(out)).toEqual({ secret: expect.stringMatching(/^whsec_/) });
    const { out: nothing, problem } = await service.run("listen", "--json", "--token", "plant_x");
    expect([nothing, JSON.parse(problem)]).toEqual(["", { error: 40102, message: expect.any(String) }]);
  });

  test("without a receiver shows what happens", async () => {
    const { out, problem } = await whileFollowing(["listen"], "plant.created (test)");
    expect(out).toContain("plant.created (test)");
    expect(problem).toEndWith("No event was shown\n");
  });
});

test("`trigger` says that nobody listens, and how that is changed", async () => {
  const { code, out } = await service.run("trigger", "plant.removed");
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^evt_test_\S+ was sent, but nobody listens; start `plantstore listen`\n$/),
  ]);
  expect((await service.run("trigger", "plant.eaten")).code).toBe(2);
});
