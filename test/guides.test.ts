import { expect, test } from "bun:test";
import { join } from "node:path";
import { GUIDES, GUIDES_PATH, RECIPES } from "#contract/guides.ts";
import { readDocument } from "#scripts/tables.ts";
import { dashboardService } from "./support/dashboard-service.ts";
import { ROOT } from "./support/service.ts";

const { url } = await dashboardService();
const read = (path: string) => fetch(url + path);

test.each(GUIDES)("$title is a page that anybody may read, and Markdown that /llms.txt names", async ({ name }) => {
  const page = await read(`${GUIDES_PATH}/${name}`);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const markdown = await read(`${GUIDES_PATH}/${name}.md`);
  expect([markdown.status, markdown.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  expect(await markdown.text()).toMatch(/^# /);
  expect(await (await read("/llms.txt")).text()).toContain(`(${url}${GUIDES_PATH}/${name}.md)`);
});

test("every link of the documents leads somewhere, from the guides on to every file that they name", async () => {
  const addresses = new Set(GUIDES.map(({ name }) => `${GUIDES_PATH}/${name}`));
  for (const address of addresses) {
    const answer = await read(address);
    expect([address, answer.status]).toEqual([address, 200]);
    const isGuide = address.startsWith(GUIDES_PATH) && answer.headers.get("content-type")?.startsWith("text/html");
    const html = isGuide ? await answer.text() : "";
    for (const [, path = "", heading] of html.matchAll(/(?:href|src)="(?!https?:)([^"#]*)(?:#([^"]*))?"/g)) {
      const target = path || address;
      if (heading) expect((await (await read(target)).text()).includes(`id="${heading}"`)).toBeTrue();
      addresses.add(target);
    }
  }
  expect(addresses).toContain(`${GUIDES_PATH}/files/scripts/clients/programs/Main.java`);
  const picture = await read(`${GUIDES_PATH}/files/docs/import-review.png`);
  expect(picture.headers.get("content-type")).toBe("image/png");
  expect(await picture.bytes()).toEqual(await Bun.file(join(ROOT, "docs/import-review.png")).bytes());
});

test("no link of a document is lost in its guide", async () => {
  for (const { name } of GUIDES) {
    const file = RECIPES.includes(name) ? `docs/recipes/${name}.md` : `docs/${name}.md`;
    const links = (text: string) => text.match(/\]\([^)]+\)/g)?.length ?? 0;
    const served = await (await read(`${GUIDES_PATH}/${name}.md`)).text();
    expect([name, links(served)]).toEqual([name, links(readDocument(file))]);
  }
});

test.each(["identity", "gzip", "br"])(
  "without scripts the reference has the service's address, also in %s",
  async (encoding) => {
    for (const host of [new URL(url).host, "plants.example.com:8443"]) {
      const answer = await fetch(`${url}/docs`, { headers: { "Accept-Encoding": encoding, Host: host } });
      expect(answer.headers.get("content-encoding") ?? "identity").toBe(encoding);
      expect(answer.headers.get("cache-control")).toBe("private, no-cache");
      const page = await answer.text();
      expect(page).toContain(`http://${host}/v1/plants`);
      const plain = /<noscript>([\s\S]*)<\/noscript>/.exec(page)?.[1];
      expect(plain).toContain(`curl -X DELETE &#x27;http://${host}/v1/plants/`);
      expect(page).not.toMatch(/127\.0\.0\.1(?!:)/);
    }
  },
);

test("guides have the service's address in their commands, but for those of a proxy before it", async () => {
  for (const ending of ["", ".md"]) {
    const text = await read(`${GUIDES_PATH}/clients${ending}`);
    expect(text.headers.get("cache-control")).toBe("no-store");
    expect(await text.text()).toContain(`npm install ${url}/downloads/`);
    expect(await (await read(`${GUIDES_PATH}/https${ending}`)).text()).toContain("proxy_pass http://127.0.0.1:3000;");
  }
});

test("the address of the guides without a name is the first of them", async () => {
  const [first] = GUIDES;
  const page = await (await read(GUIDES_PATH)).text();
  expect(page).toBe(await (await read(`${GUIDES_PATH}/${first.name}`)).text());
});

test("a guide that does not exist is 404", async () => {
  expect((await read(`${GUIDES_PATH}/greenhouse`)).status).toBe(404);
});
