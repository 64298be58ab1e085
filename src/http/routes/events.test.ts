import { afterEach, describe, expect, setSystemTime, spyOn, test } from "bun:test";
import { HOUR_MS } from "#core/duration.ts";
import { apiPerFile } from "#test/support/api-per-file.ts";
import { testCaller } from "#test/support/audit.ts";
import { eventually } from "#test/support/eventually.ts";
import { openApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import { EventWait } from "../feed/event-wait.ts";

const api = apiPerFile(["plants:read", "plants:write"]);
const send = (method: string, path: string, body?: unknown, as?: string) =>
  api.send(method, `/v1${path}`, { body, as });
afterEach(() => void setSystemTime());
const get = async (path: string, as?: string) => (await send("GET", path, undefined, as)).json();

describe("the feed of changes", () => {
  async function lived(): Promise<void> {
    await send("POST", "/plants", { id: 1, name: "Fern" });
    await send("PATCH", "/plants/1", { name: "Moss" });
    await send("DELETE", "/plants/1");
  }

  test("shows an event by its id to its own account alone", async () => {
    await lived();
    const stranger = await api.app.token(await api.app.account(), { scopes: ["plants:read"] });
    const [first] = (await get("/events")).data;
    expect(await get(`/events/${first.id}`)).toEqual(first);
    const sentence = "There is no such event, or it is no longer kept";
    await expectRefused(await send("GET", `/events/${first.id}`, undefined, stranger), 40404, sentence);
    await expectRefused(await send("GET", "/events/evt_zzzzzzzzzzzzz"), 40404, sentence);
    await expectRefused(await send("GET", "/events/7"), 40404, sentence);
    expect((await get("/events", stranger)).data).toEqual([]);
  });

  test("refuses a cursor older than what is kept, to a page, a wait and a stream, and goes on from the cursor of a list", async () => {
    const app = await openApp();
    const own = `Bearer ${await app.token(await app.account())}`;
    const ask = (path: string, headers = {}) => app.send(`/v1${path}`, { headers: { Authorization: own, ...headers } });
    const add = (id: number) =>
      app.send("/v1/plants", { method: "POST", headers: { Authorization: own }, body: `{"id":${id},"name":"x"}` });
    const events = async (query = "") => (await ask(`/events${query}`)).json();
    const { next_cursor: old } = await events();
    await add(1);
    const [{ id }] = (await events()).data;
    const now = Date.now();
    while (await app.storage.records.events.expire(now + 1, 1));
    while (await app.storage.records.events.expire(now + HOUR_MS + 2, 1));
    for (const query of ["", "&wait=1", "&limit=1&type=plant.removed"])
      await expectRefused(await ask(`/events?cursor=${old}${query}`), 41001);
    const stream = { Accept: "text/event-stream" };
    const refused = await (await ask(`/events?cursor=${old}`, stream)).json();
    expect(refused).toEqual({ error: 41001, message: expect.stringContaining("Events-Cursor") });
    await expectRefused(await ask("/events", { ...stream, "Last-Event-ID": old }), 41001);
    const head = await app.send(`/v1/events?cursor=${old}`, {
      method: "HEAD",
      headers: { Authorization: own, ...stream },
    });
    expect(head.status).toBe(410);
    await expectRefused(await ask(`/events/${id}`), 40404);
    const list = await ask("/plants");
    await add(2);
    const { data } = await events(`?cursor=${list.headers.get("events-cursor")}`);
    expect(data).toMatchObject([{ data: { plant_id: "2" } }]);
    expect((await events()).data).toEqual(data);
    await app.close();
  });

  test("ends the wait of a client that has left already, which is no longer among those that wait", async () => {
    const left = () => api.send("GET", "/v1/events?cursor=latest&wait=30", { signal: AbortSignal.abort() });
    for (let count = 0; count < 70; count++) await left().catch(() => {});
    expect((await send("GET", "/events?cursor=latest&wait=1")).status).toBe(200);
  });

  test("tells a wait whose token was revoked nothing of what happened since", async () => {
    using waits = spyOn(EventWait.prototype, "next");
    const waiting = send("GET", "/events?cursor=latest&wait=30");
    await eventually("it waits", () => waits.mock.calls.length > 0);
    await api.app.storage.records.tokens.revokeAll(testCaller(api.holder.account));
    // A token that was looked up is not looked up again for half a second.
    setSystemTime(Date.now() + 501);
    await send("POST", "/plants", { id: 1, name: "Fern" }, await api.app.token(api.holder));
    await expectRefused(await waiting, 40102);
  });

  test("takes a token that may read, and is not there where it is turned off", async () => {
    const writing = await api.app.token(api.holder, { scopes: ["plants:write"] });
    await expectRefused(await send("GET", "/events", undefined, writing), 40301);
    const off = await openApp({ EVENTS_KEPT: "0" });
    const headers = { Authorization: `Bearer ${await off.token(await off.account())}` };
    for (const path of ["/v1/events", "/v1/webhooks"]) await expectRefused(await off.send(path, { headers }), 40401);
    await off.close();
  });
});
