import { expect, test } from "bun:test";
import { describeServices } from "#test/support/describe-services.ts";
import { expectRefused } from "#test/support/refused.ts";
import { signedInBrowser } from "#test/support/test-browser.ts";

interface EventView {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly plant_id: string };
  readonly by?: { readonly kind: string; readonly id: string; readonly name: string } | null;
}
interface Page {
  readonly data: EventView[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

describeServices("the history of a plant, on %s", {}, (service) => {
  const send = (token: string, method: string, path: string, body?: unknown) =>
    service.send(method, `/v1${path}`, { as: token, body: body === undefined ? undefined : JSON.stringify(body) });
  const read = async (token: string, query: string): Promise<Page> =>
    (await send(token, "GET", `/events?${query}`)).json();

  /** A signed-in person with a page and the token of a program. */
  async function person() {
    const { browser, email } = await signedInBrowser(service);
    const { secret: program, token } = await browser.makeToken();
    return { email, browser, program, programId: token.id };
  }

  test("goes on after the id of an event wherever a cursor stands, in either order", async () => {
    const { program } = await person();
    for (const id of [1, 2, 3]) await send(program, "POST", "/plants", { id, name: "Fern" });
    const { data } = await read(program, "");
    const [first, second, third] = data.map(({ id }) => id);
    expect((await read(program, `cursor=${second}`)).data).toEqual(data.slice(2));
    expect((await read(program, `order=-timestamp&cursor=${second}`)).data).toEqual(data.slice(0, 1));
    expect((await read(program, `plant=1&order=-timestamp&cursor=${second}`)).data).toEqual(data.slice(0, 1));
    expect(await read(program, `cursor=${third}`)).toMatchObject({ data: [], has_more: false });
    const last = "evt_1y2p0ij32e8e7";
    expect(await read(program, `cursor=${last}`)).toMatchObject({ data: [], has_more: false });
    expect((await read(program, `order=-timestamp&cursor=${last}`)).data).toEqual(data.toReversed());
    const headers = { Accept: "text/event-stream", "Last-Event-ID": first ?? "" };
    const stream = await service.send("GET", "/v1/events", { as: program, headers });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes(String(third))) text += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    expect([text.includes(String(first)), text.includes(String(second))]).toEqual([false, true]);
    await expectRefused(await send(program, "GET", "/events?cursor=evt_test_0"), 40004);
  });

  test("refuses a stream, a wait, a cursor of the other order, and an id that is none", async () => {
    const { program } = await person();
    const { next_cursor: forwards } = await read(program, "");
    const { next_cursor: back } = await read(program, "plant=1&order=-timestamp");
    for (const query of [
      "order=-timestamp&wait=1",
      "order=-timestamp&cursor=latest",
      `order=-timestamp&cursor=${forwards}`,
      "plant=1&order=-timestamp&wait=1",
      "plant=1&order=newest",
      "plant=1.0",
      "plant=",
      "plant=9223372036854775808",
      "plant=1&plant=2",
      `plant=1&order=-timestamp&cursor=${forwards}`,
      "plant=1&order=-timestamp&cursor=latest",
      `plant=1&cursor=${back}`,
    ])
      await expectRefused(await send(program, "GET", `/events?${query}`), 40004);
    for (const path of ["/v1/events?order=-timestamp", "/v1/events?order=-timestamp&plant=1"]) {
      const stream = { as: program, headers: { Accept: "text/event-stream" } };
      await expectRefused(await service.send("GET", path, stream), 40004);
    }
  });

  test("names who did what to the pages of the account, and to no token", async () => {
    const { email, browser, program, programId } = await person();
    const page = (method: string, path: string, body?: unknown) =>
      browser.send(method, `/dashboard/api/v1${path}`, body);
    const seenByPage = async (query: string): Promise<Page> => (await page("GET", `/events?${query}`)).json();
    const ada = { kind: "person", id: expect.any(String), name: email.replace(/@.*/, "") };
    const till = { kind: "token", id: programId, name: expect.any(String) };
    const nobody = { kind: "program", id: "", name: "" };
    await page("POST", "/plants", { id: 1, name: "Fern" });
    await send(program, "PATCH", "/plants/1", { tag: "shade" });
    await page("DELETE", "/plants/1");
    await send(program, "POST", "/plants", { id: 1, name: "Moss" });
    const records = [2, 3].map((id) => JSON.stringify({ id, name: "Fern" })).join("\n");
    await page("POST", "/plants", new Blob([records], { type: "application/x-ndjson" }));
    const seen = await seenByPage("plant=1&order=-timestamp");
    expect(seen.data.map(({ by }) => by)).toEqual([nobody, ada, till, ada]);
    const all = await seenByPage("");
    expect(all.data.map(({ by }) => by)).toEqual([ada, till, ada, nobody, ada, ada]);
    const { id } = all.data[0] as EventView;
    expect(await (await page("GET", `/events/${id}`)).json()).toEqual(all.data[0]);

    for (const query of ["", "plant=1", "plant=1&order=-timestamp"]) {
      const response = await send(program, "GET", `/events?${query}`);
      const text = await response.text();
      expect(JSON.parse(text).data.length).toBeGreaterThan(3);
      expect(text).not.toContain('"by"');
      expect(text).not.toContain(ada.name);
    }
    expect(await (await send(program, "GET", `/events/${id}`)).text()).not.toContain('"by"');
  });
});
