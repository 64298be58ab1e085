import { describe, expect, test } from "bun:test";
import { notAPlantstore, readAnswer, refuseUnlessSuccess } from "./answer.ts";
import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";
import { readEventPage, readPlantEvent, readWebhookEvent } from "./event.ts";
import { readPage } from "./page.ts";
import { newPlantJson, plantChangeJson, readCreatedPlant, readStoredPlant } from "./plant.ts";
import { refusedFile } from "./refused-file.ts";

const URL = "https://plants.example";
const TIME = "2026-03-10T12:00:00.000Z";
const BIG = "9223372036854775807";
const PLANT = `{"id":${BIG},"name":"Fern","tag":"","created_at":"${TIME}","updated_at":"${TIME}"}`;
const EVENT = `{"id":"evt_1","type":"plant.changed","timestamp":"${TIME}","version":"1.0.0","data":{"plant_id":"${BIG}","plant":${PLANT},"previous":{"tag":null}}}`;

async function refused(response: Response): Promise<unknown> {
  return refuseUnlessSuccess(response, URL).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("an answer", () => {
  test.each([200, 201, 204, 304])("of status %p is a success", async (status) => {
    expect(await refused(new Response(null, { status }))).toBeUndefined();
  });

  test("in the service's Error shape is its refusal, with the request's id and the wait that it asks for", async () => {
    const headers = { "Request-Id": "req_1", "Retry-After": "3" };
    const error = await refused(Response.json({ error: 42901, message: "Too many" }, { status: 429, headers }));
    expect(error).toBeInstanceOf(PlantstoreError);
    expect(error).toMatchObject({
      error: 42901,
      code: "rate-limited",
      status: 429,
      message: "Too many",
      requestId: "req_1",
      retryAfterMs: 3000,
      inDoubt: false,
    });
  });

  test("with a number that is newer than the client has no name for it", async () => {
    const error = await refused(Response.json({ error: 40999, message: "New" }, { status: 409 }));
    expect(error).toMatchObject({ error: 40999, code: undefined });
  });

  test.each([429, 502, 503, 504])("of a proxy with status %p is a passing failure", async (status) => {
    for (const body of ["<html>Bad Gateway</html>", "", "null", '{"error":"x"}']) {
      expect(await refused(new Response(body, { status }))).toMatchObject({ reason: "gateway" });
    }
  });

  test.each([400, 401, 403, 404, 500])("of another server with status %p is none of a Plantstore", async (status) => {
    const error = await refused(new Response("<html>", { status }));
    expect(error).toBeInstanceOf(PlantstoreUnreachable);
    expect(error).toMatchObject({ reason: "answer", message: expect.stringContaining("is it the address?") });
  });

  test("that redirects is not followed: the token would go there too", async () => {
    const response = new Response(null, { status: 308, headers: { Location: "https://other.example/" } });
    expect(await refused(response)).toMatchObject({
      reason: "answer",
      message: `${URL} leads elsewhere, to https://other.example/; use the address that it leads to`,
    });
  });

  test("that cannot be read names the address, and keeps the cause", () => {
    const read = () => readAnswer("<html>", URL, JSON.parse);
    expect(read).toThrow(expect.objectContaining({ reason: "answer", cause: expect.any(SyntaxError) }));
    expect(notAPlantstore(URL, "status 404").message).toStartWith(`${URL} answers with status 404`);
  });
});

describe("a plant", () => {
  test("is sent with every digit of its id, and with its tag only if it has one", () => {
    expect(newPlantJson({ id: 9223372036854775807n, name: "Fern" })).toBe(`{"id":${BIG},"name":"Fern"}`);
    expect(newPlantJson({ id: -5, name: 'a"b', tag: "" })).toBe('{"id":-5,"name":"a\\"b","tag":""}');
    expect(plantChangeJson({ tag: null })).toBe('{"tag":null}');
    expect(plantChangeJson({})).toBe("{}");
  });

  test("is read with every digit of its id, and its times as dates", () => {
    const headers = new Headers({ ETag: '"1-1"' });
    expect(readStoredPlant(PLANT, headers)).toEqual({
      id: 9223372036854775807n,
      name: "Fern",
      tag: "",
      createdAt: new Date(TIME),
      updatedAt: new Date(TIME),
      etag: '"1-1"',
    });
    expect(readStoredPlant(PLANT.replace('"tag":"",', ""))).not.toHaveProperty("tag");
  });

  test.each([
    "",
    "<html>",
    "null",
    "7",
    "[]",
    "{}",
    PLANT.replace('"name":"Fern",', ""),
    PLANT.replace(BIG, '"seven"'),
    PLANT.replace(TIME, "yesterday"),
  ])("is not read from %j", (json) => {
    expect(() => readStoredPlant(json)).toThrow();
  });

  test("that was created says whether the store had it already", () => {
    const replayed = new Headers({ "Idempotent-Replayed": "true" });
    expect(readCreatedPlant('{"name":"Fern"}', new Headers())).toEqual({ name: "Fern", replayed: false });
    expect(readCreatedPlant('{"name":"Fern","tag":""}', replayed)).toEqual({ name: "Fern", tag: "", replayed: true });
    for (const json of ["null", "[]", '{"name":7}', "x"]) expect(() => readCreatedPlant(json, replayed)).toThrow();
  });
});

describe("a page", () => {
  test("has its plants and where it goes on", () => {
    const page = readPage(`{"data":[${PLANT}],"next_cursor":"abc"}`);
    expect([page.plants.map(({ id }) => id), page.nextCursor]).toEqual([[9223372036854775807n], "abc"]);
    expect(readPage('{"data":[],"next_cursor":null}')).toEqual({ plants: [], nextCursor: null });
  });
});

describe("the feed of events", () => {
  test("has events with the plant's whole id, and what was before a change", () => {
    const event = readPlantEvent(EVENT);
    expect(event).toMatchObject({
      id: "evt_1",
      type: "plant.changed",
      timestamp: new Date(TIME),
      plantId: 9223372036854775807n,
      plant: { id: 9223372036854775807n, name: "Fern" },
      previous: { tag: null },
      test: false,
    });
    const page = readEventPage(`{"data":[${EVENT}],"next_cursor":"c","has_more":true}`);
    expect(page).toMatchObject({ events: [{ id: "evt_1" }], nextCursor: "c", hasMore: true });
  });

  test("may leave out a plant that is too long for a webhook", () => {
    const event = readPlantEvent(EVENT.replace(`"plant":${PLANT},`, ""));
    expect(event).toMatchObject({ type: "plant.changed", plant: undefined });
  });

  test("tells a notice from an event", () => {
    const notice = `{"id":"evt_1_notice","type":"events.available","timestamp":"${TIME}","version":"1.0.0","data":{"cursor":"c"}}`;
    expect(readWebhookEvent(notice)).toEqual({
      id: "evt_1_notice",
      type: "events.available",
      timestamp: new Date(TIME),
      version: "1.0.0",
      cursor: "c",
    });
    expect(readWebhookEvent(EVENT)).toMatchObject({ type: "plant.changed" });
    expect(() => readPlantEvent(notice)).toThrow(TypeError);
  });

  test.each(["null", "{}", '{"id":"evt_1"}', EVENT.replace(`"${BIG}"`, '"x"'), EVENT.replace(TIME, "soon")])(
    "is not read from %s",
    (json) => {
      expect(() => readPlantEvent(json)).toThrow();
    },
  );
});

describe("the file of refused records", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const refusedRecords = (header: string, ...records: string[]) => ({
    header: bytes(header),
    refused: records.map((record, index) => ({ line: index + 1, error: 40003, message: "", record: bytes(record) })),
  });

  test("has the header, and each record on a line of its own as the header's is ended", async () => {
    expect(await refusedFile(refusedRecords("id,name\r\n", "1,a", "2,b")).text()).toBe("id,name\r\n1,a\r\n2,b\r\n");
    expect(await refusedFile(refusedRecords("id,name\n", "1,a")).text()).toBe("id,name\n1,a\n");
    expect(await refusedFile(refusedRecords("", '{"id":1}')).text()).toBe('{"id":1}\n');
  });
});
