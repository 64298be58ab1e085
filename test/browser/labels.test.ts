import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { plantJson } from "../support/hard-plants.ts";
import { pageToken } from "../support/page-token.ts";
import { printedCodes } from "../support/printed-codes.ts";
import { newAccount, PASSWORD, TestBrowser } from "../support/test-browser.ts";

const NAMES = {
  "1": "Monstera deliciosa",
  "9007199254740993": "",
  "-9223372036854775808": "Unbreakable".repeat(19).slice(0, 200),
  "-9223372036854775807": "شوكةالنخيل".repeat(20),
  "-9223372036854775806": "龜背竹觀葉植物".repeat(29).slice(0, 200),
  "-9223372036854775805": "Old garden rose with many words ".repeat(7).slice(0, 200),
  "9223372036854775807": "WWWWWWWWWW".repeat(20),
};
const PLANTS = [
  ...Object.entries(NAMES).map(([id, name]) => ({ id, name, tag: `${name}${name}` })),
  ...Array.from({ length: 38 }, (_, index) => ({ id: String(index + 2), name: `Fern ${index}`, tag: "indoor" })),
];
/** Millimetres of a sheet, and how many labels it has. */
const PAPERS = [
  { paper: "a4-24", sheet: [210, 297], length: 24 },
  { paper: "a4-21", sheet: [210, 297], length: 21 },
  { paper: "a4-40", sheet: [210, 297], length: 40 },
  { paper: "letter-30", sheet: [215.9, 279.4], length: 30 },
  { paper: "letter-24", sheet: [215.9, 279.4], length: 24 },
  { paper: "letter-40", sheet: [215.9, 279.4], length: 40 },
  { paper: "roll", sheet: [62, 29], length: 1 },
  { paper: "roll-57", sheet: [57, 32], length: 1 },
  { paper: "roll-100", sheet: [100, 150], length: 1 },
] as const;
const PX_PER_MM = 96 / 25.4;
const SHOWN = process.env.LABELS_SHOWN;

const service = await dashboardService();
const owner = await newAccount(service);
const opened = await TestPage.open(service);
await opened.takeSession(owner);
const { page } = opened;
page.setDefaultTimeout(15_000);
const { url, send } = service;
await opened.goto("");
const as = await pageToken(page);
for (const plant of PLANTS) await send("POST", "/v1/plants", { as, body: plantJson(plant) });
afterAll(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

const { store } = await (await page.request.get("/dashboard/api/session")).json();
const ownStore: string = store.id;
await openLabels();

test.each(PAPERS)(
  "$paper: no label and no text is cut, codes are read back from the PDF, and each sheet is one page",
  async ({ paper, sheet, length }) => {
    await page.emulateMedia({ media: "screen" });
    await page.getByLabel("Paper").selectOption(paper);
    await page.getByLabel("With the tag").check();
    await page.emulateMedia({ media: "print" });
    const pdf = await printed(PLANTS.length, length, sheet);
    const [first] = await page.locator(".label-sheet").all();
    const { width = 0, height = 0 } = (await first?.boundingBox()) ?? {};
    expect(Math.abs(width / PX_PER_MM - sheet[0])).toBeLessThan(0.1);
    expect(Math.abs(height / PX_PER_MM - sheet[1])).toBeLessThan(0.1);
    expectCodes(
      pdf,
      length,
      PLANTS.map(({ id }) => `/${id}?store=${ownStore}`),
      paper === "a4-24" ? 1 : 6,
    );
    if (SHOWN) await Bun.write(`${SHOWN}/${paper}.pdf`, pdf);
  },
);

test("a sheet that was begun goes on at its next label, with copies, a line of 50 mm, and measures of one's own", async () => {
  await page.emulateMedia({ media: "screen" });
  await page.getByLabel("Paper").selectOption("own");
  await page.getByLabel("Rows", { exact: true }).fill("7");
  await page.getByLabel("Begin at label").fill("20");
  await page.getByLabel("Copies of each").fill("2");
  await page.getByLabel("With a line of 50 mm").check();
  await page.getByText(`${2 * PLANTS.length} labels on 6 pages`).waitFor();
  await page.emulateMedia({ media: "print" });
  const sheets = page.locator(".label-sheet");
  expect([await sheets.count(), await sheets.first().locator(".label").count()]).toEqual([6, 2]);
  expect(await page.evaluate(findFaults)).toEqual([]);
  const { width = 0 } = (await page.locator(".label-ruler").boundingBox()) ?? {};
  expect(Math.abs(width / PX_PER_MM - 50)).toBeLessThan(0.1);
  await page.emulateMedia({ media: "screen" });
  await page.getByLabel("Begin at label").fill("1");
  await page.getByLabel("Copies of each").fill("1");
  await page.getByLabel("With a line of 50 mm").uncheck();
});

test("the dialog says that a phone cannot open an address of this computer, and prints", async () => {
  await page.emulateMedia({ media: "screen" });
  await page.getByLabel("Paper").selectOption("a4-24");
  await page.getByText("A phone cannot open these codes").waitFor();
  await page.getByText(`${PLANTS.length} labels on 2 pages`).waitFor();
  await page.evaluate(() => Object.assign(globalThis, { print: () => Object.assign(globalThis, { printed: true }) }));
  await page.getByRole("button", { name: "Print" }).click();
  expect(await page.evaluate(() => Reflect.get(globalThis, "printed"))).toBe(true);
});

test("on a phone the address of a label is a page with the plant, where it is changed and seen as it is then", async () => {
  const phone = await opened.another();
  await phone.page.setViewportSize({ width: 360, height: 640 });
  await phone.goto("/plants/9007199254740993");
  await phone.page.getByRole("heading", { level: 1 }).waitFor();
  await phone.page.getByLabel("Name").fill("Giant sequoia");
  await phone.page.getByRole("button", { name: "Save" }).click();
  await phone.page.getByText("Go back to this version").waitFor();
  expect(phone.page.url()).toEndWith("/plants/9007199254740993");
  expect(await phone.page.getByLabel("Name").inputValue()).toBe("Giant sequoia");
  await phone.goto("/plants/404404");
  await phone.page.getByText("There is no plant with this id.").waitFor();
  await phone.goto("/plants/fern");
  await phone.page.getByText("fern is not an id.").waitFor();
  await phone.page.getByRole("link", { name: "All plants" }).click();
  await phone.page.getByRole("table", { name: "Plants" }).waitFor();
  expect(phone.complaints).toEqual([]);
  await phone.page.close();
});

test("the panel of a plant prints its label alone", async () => {
  const other = await opened.another();
  await other.goto("/plants?plant=5");
  await other.page.getByRole("button", { name: "Print a label" }).click();
  await other.page.getByText("1 label on 1 page").waitFor();
  await other.page.getByRole("img", { name: "The first sheet" }).waitFor();
  if (SHOWN) await other.page.screenshot({ path: `${SHOWN}/labels.png` });
  await other.page.close();
});

test("500 labels with the longest names are printed at once, with the store where there are several, and no more", async () => {
  const more = Array.from({ length: 500 }, (_, index) => {
    return plantJson({ id: String(1000 + index), name: `${index} ${"WW".repeat(97)}`, tag: "moss" });
  });
  await send("POST", "/v1/plants/import", {
    as,
    body: more.join("\n"),
    headers: { "Content-Type": "application/x-ndjson" },
  });
  const browser = new TestBrowser(service);
  await browser.signIn(owner, PASSWORD);
  expect((await browser.post("/dashboard/api/stores", { name: "Sandbox", test: true })).status).toBe(200);
  await page.emulateMedia({ media: "screen" });
  await opened.goto("/plants?tag=moss");
  const store = new URL(page.url()).searchParams.get("store");
  expect(store).toBeString();
  await selectAll(500);
  await page.locator(".label-sheet").last().waitFor({ state: "attached" });
  await page.getByLabel("Paper").selectOption("a4-40");
  await page.emulateMedia({ media: "print" });
  expectCodes(
    await printed(500, 40, [210, 297]),
    40,
    more.map((_, index) => `/${1000 + index}?store=${store}`),
    10,
  );

  await page.emulateMedia({ media: "screen" });
  await opened.goto("/plants");
  await selectAll(545);
  await page.getByText("Labels are printed for at most 500 plants at once").waitFor();
  expect(await page.getByRole("button", { name: "Print" }).count()).toBe(0);
});

async function openLabels() {
  await opened.goto("/plants");
  await page.getByLabel("Select all loaded plants").check();
  await page.getByRole("button", { name: "Labels" }).click();
  await page.locator(".label-sheets").waitFor({ state: "attached" });
}

async function selectAll(count: number) {
  await page.getByLabel("Select all loaded plants").check();
  await page.getByRole("button", { name: "Select all that match" }).click();
  await page.getByText(`${count} plants selected`).waitFor();
  await page.getByRole("button", { name: "Labels" }).click();
}

/** The PDF, with its pages as large as the sheets (in millimetres), and nothing on them that is not whole. */
async function printed(labels: number, length: number, sheet: readonly [number, number]): Promise<Buffer> {
  const sheets = Math.ceil(labels / length);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  const boxes = [...pdf.toString("latin1").matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)];
  expect(boxes.length).toBe(sheets);
  for (const [, ...points] of boxes) {
    for (const [side, each] of points.entries()) {
      expect(Math.abs((Number(each) / 72) * 25.4 - (sheet[side] ?? 0))).toBeLessThan(0.5);
    }
  }
  expect(await page.evaluate(findFaults)).toEqual([]);
  expect(await page.locator(".label-sheet").count()).toBe(sheets);
  expect(await page.locator(".label").count()).toBe(labels);
  return pdf;
}

/** To read a code takes some milliseconds: with `every` not each of them is read. */
function expectCodes(pdf: Buffer, length: number, addresses: readonly string[], every = 1) {
  const pages = printedCodes(pdf);
  const starts = pages.map((_, at) => at * length);
  expect(pages.map((codes) => codes.length)).toEqual(starts.map((at) => Math.min(length, addresses.length - at)));
  const read = pages
    .flat()
    .filter((_, at) => at % every === 0)
    .map((code) => code());
  const all = new Set(addresses.map((each) => `${url}/dashboard/plants${each}`));
  expect(read.filter((each) => !all.delete(each))).toEqual([]);
  if (every === 1) expect([...all]).toEqual([]);
}

/** In the page: labels beyond their sheet or over each other, parts beyond their label, and lines that are cut. */
function findFaults(): string[] {
  type Box = Pick<DOMRect, "left" | "top" | "right" | "bottom">;
  const all = (selector: string) => [...document.querySelectorAll(selector)];
  const box = (element: Element | null): Box => element?.getBoundingClientRect() ?? new DOMRect();
  const within = (inner: Box, outer: Box) =>
    Math.min(inner.left - outer.left, inner.top - outer.top) > -0.1 &&
    Math.min(outer.right - inner.right, outer.bottom - inner.bottom) > -0.1;
  const over = (one: Box, other: Box) =>
    Math.min(one.right - other.left, other.right - one.left) > 0.1 &&
    Math.min(one.bottom - other.top, other.bottom - one.top) > 0.1;
  const named = (what: string, elements: readonly Element[]) =>
    elements.map(({ outerHTML }) => `${what}: ${outerHTML.slice(0, 80)}`);
  const labels = all(".label");
  const lines = (text: Element) => text.clientHeight / Number.parseFloat(getComputedStyle(text).lineHeight);
  const textBoxes = (text: Element) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    return [...range.getClientRects()];
  };
  const isBeside = (one: Element, other: Element) => other !== one && other.parentElement === one.parentElement;
  return [
    ...named(
      "beyond its sheet",
      labels.filter((label) => !within(box(label), box(label.parentElement))),
    ),
    ...named(
      "over another",
      labels.filter((label) => labels.some((other) => isBeside(label, other) && over(box(label), box(other)))),
    ),
    ...named(
      "beyond its label",
      all(".label *").filter((part) => !within(box(part), box(part.closest(".label")))),
    ),
    ...named(
      "cut in a line",
      all(".label p").filter((text) => Math.abs(lines(text) - Math.round(lines(text))) > 0.1),
    ),
    ...named(
      "cut off its id",
      all(".label-id").filter((id) => !textBoxes(id).every((each) => within(each, box(id.closest(".label"))))),
    ),
  ];
}
