import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { expectRefusal, RawClient } from "./support/raw-client.ts";

const client = await RawClient.start();
afterEach(() => client.expectServing());
afterAll(() => client.service.stop());

describe("an address", () => {
  test.each(["/plants", "/v1/plants", "/1/plants", "/1.0/plants", "/1.0.0/plants", "/v1.0/plants", "/v1.0.0/plants"])(
    "%s is the collection",
    async (target) => {
      expect(await client.create({ target })).toMatchObject({ status: 200, body: '{"name":"Ficus"}' });
      expectRefusal(await client.create({ method: "PUT", target }), 40501);
    },
  );

  test.each([
    "/v1/plants?x=y",
    "/v1/plants?",
    "/./v1/plants",
    "/x/../v1/plants",
    "/../v1/plants",
    "/%2e/v1/plants",
    "/v1/pl%61nts",
    "http://plants.example/v1/plants",
    "http://elsewhere.example:81/v1/plants?x",
    "https://elsewhere.example/v1/plants",
  ])("%s leads to the collection (RFC 3986, 6.2.2; RFC 9112, 3.2.2)", async (target) => {
    expect((await client.create({ target })).status).toBe(200);
  });

  test.each([
    "/v1/plants/",
    "/v1//plants",
    "//v1/plants",
    "//",
    "/v1%2Fplants",
    "/V1/plants",
    "/v1/Plants",
    "/v1/plants;x",
    "/v1/plants%20",
    "/v1/plants%00",
    "/v1/pl\xe4nts",
    "/v1",
    "/v1/",
    "/v1/v1/plants",
    "http://plants.example//v1/plants",
    "/downloads/",
  ])("%s is none: 404, error 40401", async (target) => {
    for (const method of ["POST", "GET", "OPTIONS"]) expectRefusal(await client.create({ method, target }), 40401);
  });

  test.each(["/v2/plants", "/v2", "/1.1/plants", "/v0/plants", "/v1.0.0.0/x", "/2.0/", "/v10/plants/5"])(
    "%s is of a version that does not exist: 404, error 40402",
    async (target) => {
      const answer = await client.create({ target });
      expectRefusal(answer, 40402);
      expect(JSON.parse(answer.body).message).toContain("v1");
    },
  );

  test.each(["05", "+5", "5.0", "-0", "5e0", "x", "%2F5", "9223372036854775808", "%00"])(
    "/v1/plants/%s names no int64: 400, error 40004",
    async (id) => {
      expectRefusal(await client.create({ method: "GET", target: `/v1/plants/${id}` }), 40004);
    },
  );

  test.each(["/v1/plants\\1", "/v1\\plants", "\\v1/plants", "/v1/plants/1\\", "/x\\..\\dashboard/", "/docs\\"])(
    "%s is none: a backslash is no slash",
    async (target) => {
      for (const method of ["POST", "GET"]) {
        const { status } = await client.create({ method, target });
        expect(status).toBe(target.startsWith("/") ? 404 : 400);
      }
    },
  );

  test.each(["/x/../dashboard", "/./dashboard/api/session", "/%2e/auth/sign-out", "/v1/../dashboard"])(
    "%s does not lead to the dashboard, so that a proxy's rules for it hold",
    async (target) => {
      expectRefusal(await client.create({ method: "GET", target }), 40401);
    },
  );

  test.each(["*", "plants", "?x", "plants.example:80"])("%s is no target: 400", async (target) => {
    expect((await client.create({ target })).status).toBe(400);
  });

  test("of CONNECT is refused whatever it is", async () => {
    for (const target of ["plants.example:80", "*"])
      expectRefusal(await client.create({ method: "CONNECT", target }), 40004);
  });
});
