import { expect, test } from "bun:test";
import type { ApiRequest } from "#test/support/api-request.ts";
import { describeServices } from "#test/support/describe-services.ts";
import { eventually } from "#test/support/eventually.ts";
import { RawConnection } from "#test/support/raw-connection.ts";
import { rawRequest } from "#test/support/raw-request.ts";
import { startService, type TestService } from "#test/support/service.ts";

interface EventView {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly version: string;
  readonly test?: true;
  readonly data: {
    readonly plant_id: string;
    readonly plant: { id: number; name: string };
    readonly previous?: object;
  };
}
interface Page {
  readonly data: EventView[];
  readonly next_cursor: string;
  readonly has_more: boolean;
}
interface Sent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly comment?: true;
}

describeServices("the feed of changes over HTTP, on %s", {}, (service, engine) => {
  const call = (token: string, path: string, { method = "GET", ...sent }: ApiRequest & { method?: string } = {}) =>
    service.send(method, path, { as: token, ...sent });
  const feed = async (token: string, query = ""): Promise<Page> => (await call(token, `/v1/events${query}`)).json();
  const create = (token: string, id: bigint | number, name = `plant ${id}`) =>
    call(token, "/v1/plants", { method: "POST", body: `{"id":${id},"name":${JSON.stringify(name)}}` });
  const error = async (response: Response) => (await response.json()).error;
  /** A transaction of anybody that takes long may hold the feed back. */
  const untilFed = (token: string, count: number) =>
    eventually(`the feed has ${count} events`, async () => (await feed(token)).data.length === count);

  /** Reads server-sent events until `enough` holds of them. */
  async function follow(
    token: string,
    query: string,
    enough: (sent: Sent[]) => boolean,
    headers = {},
  ): Promise<Sent[]> {
    const leaving = new AbortController();
    const response = await call(token, `/v1/events${query}`, {
      signal: leaving.signal,
      headers: { Accept: "text/event-stream", ...headers },
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const sent: Sent[] = [];
    let text = "";
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += new TextDecoder().decode(chunk);
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      sent.push(...blocks.filter((block) => block.includes("data: ")).map(parsed));
      if (enough(sent)) break;
    }
    leaving.abort();
    return sent;
  }

  function parsed(block: string): Sent {
    return Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
  }

  /** Asks for events, and returns when the service has read the request: by its answer to one that was sent later. */
  async function waitingRequest({ url }: TestService, token: string, query: string): Promise<RawConnection> {
    const connection = await RawConnection.open(url);
    const headers = [`Authorization: Bearer ${token}`];
    await connection.send(rawRequest({ method: "GET", target: `/v1/events${query}`, headers }));
    await fetch(`${url}/healthz`);
    return connection;
  }

  test("a create, a change and a removal are events with exact ids, the same in the feed, by id and in the stream", async () => {
    const token = await service.token();
    const id = 9007199254740993n;
    await create(token, id, "Monstera");
    await call(token, `/v1/plants/${id}`, { method: "PATCH", body: '{"name":"Monstera deliciosa"}' });
    const plant = (await (await call(token, `/v1/plants/${id}`)).text()).replace(`,"plant_id":"${id}"`, "");
    await call(token, `/v1/plants/${id}`, { method: "DELETE" });
    await untilFed(token, 3);
    const response = await call(token, "/v1/events");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await response.text();
    const { data, has_more }: Page = JSON.parse(text);
    expect(data.map(({ type }) => type)).toEqual(["plant.created", "plant.changed", "plant.removed"]);
    expect(has_more).toBe(false);
    expect(data[1]).toMatchObject({ version: "1.0.0", data: { plant_id: `${id}`, previous: { name: "Monstera" } } });
    expect(text).toContain(`"data":{"plant_id":"${id}","plant":${plant},"previous":{"name":"Monstera"}}`);
    const streamed = await follow(token, "", (sent) => sent.length === 3);
    for (const [at, event] of data.entries()) {
      expect(event.id).toMatch(/^evt_[0-9a-z]{13}$/);
      const one = await (await call(token, `/v1/events/${event.id}`)).text();
      expect(text).toContain(one);
      expect(streamed[at]).toMatchObject({ event: event.type, data: one });
    }
    expect(await error(await call(await service.token(), `/v1/events/${data[0]?.id}`))).toBe(40404);
    expect(await error(await call(token, "/v1/events/evt_nonsense"))).toBe(40404);
  });

  test("a request that waits is answered when something comes, and empty when nothing does", async () => {
    const token = await service.token();
    const { next_cursor } = await feed(token, "?cursor=latest");
    const empty = await feed(token, `?cursor=${next_cursor}&wait=1`);
    expect(empty).toMatchObject({ data: [], has_more: false });
    const start = performance.now();
    const waiting = await waitingRequest(service, token, `?cursor=${empty.next_cursor}&wait=30`);
    await create(token, 5);
    const { data }: Page = JSON.parse((await waiting.answer())?.body ?? "");
    expect(data.map((event) => event.data.plant_id)).toEqual(["5"]);
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  test("a service that stops ends its streams first, and answers who waits", async () => {
    const other = await startService({ engine });
    const token = await other.token();
    const stream = await other.send("GET", "/v1/events", { as: token, headers: { Accept: "text/event-stream" } });
    const waiting = await waitingRequest(other, token, "?wait=30");
    const [text, page, code] = await Promise.all([stream.text(), waiting.answer(), other.stop()]);
    expect(text).toStartWith("retry: 2000");
    expect(JSON.parse(page?.body ?? "")).toMatchObject({ data: [], has_more: false });
    expect(code).toBe(0);
    expect(other.output()).not.toContain("cutting off");
  });

  test("lists and exports say where the feed goes on from them", async () => {
    const token = await service.token();
    await create(token, 1);
    const [list, exported] = [
      await call(token, "/v1/plants"),
      await call(token, "/v1/plants", { headers: { Accept: "text/csv" } }),
    ];
    await exported.text();
    await create(token, 2);
    await untilFed(token, 2);
    for (const { headers } of [list, exported]) {
      const { data } = await feed(token, `?cursor=${headers.get("events-cursor")}`);
      expect(data.map((event) => event.data.plant_id)).toContain("2");
    }
  });
});
