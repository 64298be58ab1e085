import { expect, test } from "bun:test";
import { refusedWith, scriptedService } from "#test/support/scripted-service.ts";
import { CLIENT_VERSION, type Exchange } from "./call-options.ts";
import { PlantstoreClient } from "./plantstore-client.ts";

const PLANT = { id: 42, name: "Fern" };

test("the application is named before the client, and one that no header can hold is refused", async () => {
  using service = scriptedService(Response.json({ name: "Fern" }));
  const options = { url: service.url, token: "plant_x" };
  await new PlantstoreClient({ ...options, application: "nursery-import/2.1" }).create(PLANT);
  await new PlantstoreClient(options).create(PLANT);
  const client = `plantstore-client/${CLIENT_VERSION}`;
  const sent = service.requests.map(({ headers }) => headers.get("user-agent"));
  expect(sent).toEqual([`nursery-import/2.1 ${client}`, client]);
  for (const application of ["", "a\nb", "Gärtnerei/1", " a"])
    expect(() => new PlantstoreClient({ ...options, application })).toThrow("must be a name and a version");
});

test("the hooks of client and call are told of each try, with the raw answer or the error", async () => {
  const body = '{"name":"Fern","colour":"green"}';
  using service = scriptedService(refusedWith(50301), new Response(body, { headers: { "Request-Id": "req_2" } }));
  const told: Exchange[] = [];
  const client = new PlantstoreClient({ url: service.url, token: "plant_x", onExchange: (each) => told.push(each) });
  let raw: string | undefined;
  const created = await client.create(PLANT, { onExchange: (exchange) => (raw = exchange.body) });
  expect(created).toEqual({ name: "Fern", replayed: false });
  expect(raw).toBe(body);
  const common = { method: "POST", url: `${service.url}/v1/plants`, durationMs: expect.any(Number) };
  expect(told).toMatchObject([
    { ...common, attempt: 1, status: 503, error: { error: 50301 }, retriedUntil: expect.any(Number) },
    { ...common, attempt: 2, status: 200, body },
  ]);
  expect(told[1]).not.toHaveProperty("retriedUntil");
  expect(told[1]?.headers?.get("request-id")).toBe("req_2");
});

test("an error of the hook ends the call, and is no reason for another try", async () => {
  using service = scriptedService(refusedWith(50301));
  const fault = new Error("the log is full");
  const client = new PlantstoreClient({ url: service.url, token: "plant_x" });
  const onExchange = () => {
    throw fault;
  };
  await expect(client.create(PLANT, { onExchange })).rejects.toBe(fault);
  expect(service.requests).toHaveLength(1);
});

test("more headers are sent, and none replaces the token or the type of the body", async () => {
  using service = scriptedService(Response.json({ name: "Fern" }));
  const headers = { traceparent: "00-1-2-01", authorization: "Basic x", "content-type": "text/csv" };
  await new PlantstoreClient({ url: service.url, token: "plant_x" }).create(PLANT, { headers });
  const [{ headers: sent } = { headers: new Headers() }] = service.requests;
  const names = ["traceparent", "authorization", "content-type"];
  expect(names.map((name) => sent.get(name))).toEqual(["00-1-2-01", "Bearer plant_x", "application/json"]);
});
