import { afterAll, expect, test } from "bun:test";
import { readDocument } from "#scripts/tables.ts";
import { TestPage } from "../support/browser.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());

test("the page of the recipe for web pages finds plants while one types, ids exact, and hears of new ones", async () => {
  const token = await service.token();
  const add = (body: string) => service.send("POST", "/v1/plants", { as: token, body });
  await add('{"id":9007199254740993,"name":"Rosa canina"}');
  const [, recipe = ""] = /```html\n([\s\S]*?)```/.exec(readDocument("docs/recipes/web-page.md")) ?? [];
  const html = recipe.replace("https://plants.example.com", service.url).replace("plant_…", token);
  const site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(html, { headers: { "Content-Type": "text/html" } }),
  });
  const opened = await TestPage.open(service);
  try {
    const { page } = opened;
    const listening = page.waitForResponse(`${service.url}/v1/events?cursor=latest`);
    await page.goto(site.url.href);
    await page.getByLabel("Find a plant").pressSequentially("canina");
    await page.getByText("Rosa canina (9007199254740993)").waitFor();
    await listening;
    await add('{"id":2,"name":"Aloe"}');
    await page.getByText("plant.created").waitFor();
    expect(await page.getByRole("listitem").count()).toBe(1);
  } finally {
    await opened.close();
    await site.stop(true);
  }
});
