import { expect, test } from "bun:test";
import { scriptedService } from "#test/support/scripted-service.ts";
import { baseAddress, type CallOptions } from "./call-options.ts";
import { PlantstoreClient } from "./plantstore-client.ts";

test("a base address may have a path, and slashes at its end are dropped", () => {
  expect(baseAddress("https://plants.example.com/")).toBe("https://plants.example.com");
  expect(baseAddress("http://[::1]:3000/store//")).toBe("http://[::1]:3000/store");
  expect(baseAddress(new URL("http://localhost"))).toBe("http://localhost");
});

test.each([
  "plants.example.com",
  "ftp://plants.example.com",
  "",
  "https://plants.example.com/?a=1",
  "https://plants.example.com/#a",
])("%p is no base address", (url) => {
  expect(() => baseAddress(url)).toThrow(TypeError);
});

test("a misspelt option is refused by name before anything is sent, with the options that there are", async () => {
  using service = scriptedService();
  const store = new PlantstoreClient({ url: service.url, token: "plant_x" });
  const plant = { id: 1, name: "Fern" };
  const calls: Record<string, (misspelt: CallOptions) => Promise<unknown>> = {
    create: (misspelt) => store.create(plant, misspelt),
    importPlants: (misspelt) => store.importPlants([plant], { existing: "update", ...misspelt }),
    removeMany: (misspelt) => store.removeMany([1], misspelt),
    put: (misspelt) => store.put(plant, { ifNoneMatch: "*", ...misspelt }),
    change: (misspelt) => store.change(1, { name: "Ivy" }, misspelt),
    remove: (misspelt) => store.remove(1, { missingOk: true, ...misspelt }),
  };
  const own: Record<string, string> = {
    importPlants: "format, existing, dryRun, onProgress, ",
    removeMany: "format, dryRun, onProgress, ",
    put: "ifMatch, ifNoneMatch, ",
    change: "ifMatch, ",
    remove: "ifMatch, missingOk, ",
  };
  for (const [name, call] of Object.entries(calls)) {
    const options = `${own[name] ?? ""}signal, timeoutMs, tryTimeoutMs, retriesMax, headers, onExchange`;
    const refusal = new TypeError(`There is no option "dry_run": the options of this call are ${options}`);
    await expect(call({ dry_run: true } as CallOptions)).rejects.toEqual(refusal);
  }
  expect(service.requests).toEqual([]);
});
