import { describe, expect, test } from "bun:test";
import { refuseUnlessSuccess } from "./answer.ts";
import { PlantstoreError } from "./error.ts";
import { readPlantEvent } from "./event.ts";
import { readStoredPlant } from "./plant.ts";

const URL = "https://plants.example";
const TIME = "2026-03-10T12:00:00.000Z";
const BIG = "9223372036854775807";
const PLANT = `{"id":${BIG},"name":"Fern","tag":"","created_at":"${TIME}","updated_at":"${TIME}"}`;
const EVENT = `{"id":"evt_1","type":"plant.changed","timestamp":"${TIME}","version":"1.0.0","data":{"plant_id":"${BIG}","plant":${PLANT},"previous":{"tag":null}}}`;

function refused(response: Response): Promise<unknown> {
  return refuseUnlessSuccess(response, URL).catch((error: unknown) => error);
}

describe("an answer", () => {
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
});

describe("a plant", () => {
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
});

describe("the feed of events", () => {
  test("may leave out a plant that is too long for a webhook", () => {
    const event = readPlantEvent(EVENT.replace(`"plant":${PLANT},`, ""));
    expect(event).toMatchObject({ type: "plant.changed", plant: undefined });
  });

  test.each(["null", "{}", '{"id":"evt_1"}', EVENT.replace(`"${BIG}"`, '"x"'), EVENT.replace(TIME, "soon")])(
    "is not read from %s",
    (json) => {
      expect(() => readPlantEvent(json)).toThrow();
    },
  );
});
