import { expect, test } from "bun:test";
import { GUIDES, GUIDES_PATH } from "#contract/guides.ts";
import { dashboardService } from "./support/dashboard-service.ts";

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

test.each(GUIDES)(
  "every link of $title within the service leads to something, and its headings are there",
  async (guide) => {
    const html = await (await read(`${GUIDES_PATH}/${guide.name}`)).text();
    const links = [...html.matchAll(/href="(?!https?:)([^"#]*)(?:#([^"]*))?"/g)];
    expect(links.length).toBeGreaterThan(GUIDES.length);
    for (const [, path = "", heading] of links) {
      const answer = await read(path || `${GUIDES_PATH}/${guide.name}`);
      expect([path, answer.status]).toEqual([path, 200]);
      if (heading) expect(await answer.text()).toContain(`id="${heading}"`);
    }
  },
);

test("a link to a document that is no guide becomes the place of its file", async () => {
  for (const ending of ["", ".md"]) {
    const text = await (await read(`${GUIDES_PATH}/clients${ending}`)).text();
    expect(text).toMatch(/(`|<code[^>]*>)scripts\/clients\/programs\/Main\.java(`|<\/code>)/);
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
