import { expect, spyOn, test } from "bun:test";
import { Listeners } from "./listeners.ts";

test("an address that cannot be opened again for a new certificate is told, and the others go on", async () => {
  const hosts = ["127.0.0.1", "127.0.0.2"];
  const fetch = () => new Response("there");
  await using listeners = new Listeners({ hosts, port: 0, sharesPort: true, serve: { fetch } });
  expect(listeners.listen()).toEqual([]);
  expect(listeners.listen()).toEqual([]);
  const { serve } = Bun;
  using _ = spyOn(Bun, "serve").mockImplementation(((options: Bun.Serve.Options<undefined>) => {
    if ("hostname" in options && options.hostname === "127.0.0.2") throw new Error("no such address any more");
    return serve(options);
  }) as typeof serve);
  expect(listeners.listen()).toEqual(["127.0.0.2"]);
  expect(await (await fetchAt(listeners.port)).text()).toBe("there");
});

function fetchAt(port: number): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/`);
}
