import { expect, test } from "bun:test";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { plantPageText, plantText } from "#test/support/dashboard-records.ts";
import { refusedWith, type ScriptedService, scriptedService } from "#test/support/scripted-service.ts";
import { matchingPlants, searchOfText, selectedPlants } from "./matching-plants.ts";

const UNKNOWN = 40403;

const text = (body: string) => new Response(body, { headers: { "Content-Type": "application/json" } });
const page = (...ids: readonly string[]) => text(plantPageText(ids.map((id) => plantText(id, `Fern ${id}`))));

function clientOf(service: ScriptedService) {
  return new PlantstoreClient({ url: service.url, token: "plant_x", retriesMax: 0 });
}

async function idsOf(found: AsyncIterable<{ readonly id: bigint }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of found) ids.push(String(id));
  return ids;
}

const { signal } = new AbortController();

function selectedOf(service: ScriptedService, ids: ReadonlySet<string>) {
  const client = clientOf(service);
  return selectedPlants(client, matchingPlants(client, {}, signal), ids, signal);
}

test("a typed id is found first, and only once, although its name matches too", async () => {
  using service = scriptedService(text(plantText("7", "Fern 7")), page("6", "7", "8"));
  expect(await idsOf(matchingPlants(clientOf(service), { q: " 7 " }, signal))).toEqual(["7", "6", "8"]);
  expect(service.requests.map(({ address }) => address.split("?")[0])).toEqual(["/v1/plants/7", "/v1/plants"]);
});

test("a number that is no plant's id still finds names", async () => {
  using service = scriptedService(refusedWith(UNKNOWN), page("1"));
  expect(await idsOf(matchingPlants(clientOf(service), { q: "2024" }, signal))).toEqual(["1"]);
});

test("with a tag chosen a number is part of a name alone", async () => {
  using service = scriptedService(page("1"));
  expect(await idsOf(matchingPlants(clientOf(service), { q: "7", tag: "indoor" }, signal))).toEqual(["1"]);
  expect(service.requests).toHaveLength(1);
  expect(new URL(service.requests[0]?.address ?? "", "http://x").searchParams.get("tag")).toBe("indoor");
});

test("a plant that cannot be read for another reason is no missing one", async () => {
  using service = scriptedService(refusedWith(40301));
  await expect(idsOf(matchingPlants(clientOf(service), { q: "7" }, signal))).rejects.toThrow("40301");
});

test("of what matches, the selected ones are given, and nothing is read beyond the last of them", async () => {
  const first = text(plantPageText([plantText("1", "Fern"), plantText("2", "Fern")], "more"));
  using service = scriptedService(first, page("3"));
  expect(await idsOf(selectedOf(service, new Set(["2", "1"])))).toEqual(["1", "2"]);
  expect(service.requests).toHaveLength(1);
});

test("one that was selected before the search was changed is read by its id, with every digit", async () => {
  using service = scriptedService(page("1"), text(plantText("9007199254740993", "Oak")));
  const ids = new Set(["9007199254740993", "1"]);
  expect(await idsOf(selectedOf(service, ids))).toEqual(["1", "9007199254740993"]);
  expect(service.requests.at(-1)?.address).toBe("/v1/plants/9007199254740993");
});

test("a selected plant that was removed in the meantime is left out", async () => {
  using service = scriptedService(page("1"), refusedWith(UNKNOWN));
  expect(await idsOf(selectedOf(service, new Set(["1", "2"])))).toEqual(["1"]);
});

test("digits find the id also after the zeros that scanners put before them, and names that hold them", async () => {
  using service = scriptedService(text(plantText("7", "Fern 7")), page("6"));
  expect(await idsOf(matchingPlants(clientOf(service), { q: "0007" }, signal))).toEqual(["7", "6"]);
  const [byId, byName] = service.requests.map(({ address }) => new URL(address, "http://x"));
  expect([byId?.pathname, byName?.searchParams.get("q")]).toEqual(["/v1/plants/7", "0007"]);
});

test("the address of an own label stands for its plant's id, and any other text for itself", () => {
  const shown = { origins: ["http://127.0.0.1:3000", "https://plants.example"], store: "own" };
  const label = "https://plants.example/dashboard/plants/-42";
  expect(searchOfText(` ${label}\n`, shown)).toBe("-42");
  expect(searchOfText(`${label}?store=own`, shown)).toBe("-42");
  for (const other of [
    "rose",
    "42",
    `${label}?store=another`,
    label.replace("plants.example", "other.example"),
    label.replace("-42", "rose"),
    label.replace("/plants/", "/settings/"),
  ]) {
    expect(searchOfText(other, shown)).toBe(other);
  }
});
