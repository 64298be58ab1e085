import { join } from "node:path";
import type { Page } from "playwright-core";
import { HOUR_MS } from "#core/duration.ts";
import { latencyBucket } from "#http/latency.ts";
import { openStorage } from "#storage/open.ts";
import { TestPage } from "../support/browser.ts";
import { ROOT, runCommand, startService, type TestService } from "../support/service.ts";
import { findHolder } from "../support/test-account.ts";
import { PASSWORD } from "../support/test-browser.ts";

/** Takes the pictures of the README and the guides, of a nursery that has been open for a day: `npm run pictures`. */
const EMAIL = "owner@greenleaf.example";
const PLANTS = ["Monstera deliciosa", "Ficus elastica", "Calathea orbifolia", "Rosa Peace", "Lavandula Hidcote"];
const TAGS = ["indoor", "indoor", "indoor", "outdoor", undefined];
const REFUSED = [40901, 40003] as const;

const service = await startService();
await runCommand(
  service.environment,
  service.folder,
  ["account", "create", "--email", EMAIL, "--password-stdin"],
  PASSWORD,
);
const opened = await TestPage.open(service, { height: 1010 });
await opened.takeSession(EMAIL);
await fill(opened.page);
await addHistory(service);

await opened.goto("/developer/requests?error=40901");
await opened.page.getByRole("button", { name: "POST /v1/plants" }).nth(2).waitFor();
await opened.page.getByRole("button", { name: "POST /v1/plants" }).first().click();
await opened.page.getByText("Repeat this request").waitFor();
await take("dashboard-requests.png");
await opened.goto("~/docs#createPlant");
await opened.page.getByRole("heading", { name: "Create a plant" }).waitFor();
await take("dashboard-reference.png");
await opened.page.setViewportSize({ width: 780, height: 960 });
await takeImports(opened);
await opened.page.setViewportSize({ width: 1280, height: 1010 });
await opened.goto("");
await opened.page.getByText("Preisliste.csv").first().waitFor();
await opened.page.getByRole("link", { name: "outdoor" }).waitFor();
await take("dashboard-overview.png");
await service.stop();
process.exit(0);

/** A supplier's list, and the same a month later. */
async function takeImports({ page }: TestPage): Promise<void> {
  const dialog = page.getByRole("dialog");
  const names = ["Grünlilie", "Efeutute", "Monstera", "Bogenhanf", "Einblatt", "Zamioculcas"];
  const row = (name: string, at: number) => `${4006381333900 + 7 * at};${name} ${at + 1};P${9 + (at % 3)};Zimmer\r\n`;
  const list = Array.from({ length: 398 }, (_, at) => row(names[at % names.length] ?? "", at));
  const later = list
    .with(6, row("Efeutute ×", 6))
    .with(70, row("Einblatt weiß", 70))
    .concat(row("Farn", 398), ";Moos;P9;\r\n");
  for (const [rows, picture, said] of [
    [list, "import-review.png", /^398 new/],
    [later, "import-changes.png", /2 changed/],
  ] as const) {
    const text = `Preisliste 2026;;;\r\n\r\nArtikelnummer;Bezeichnung;Topf;Kategorie\r\n${rows.join("")}`;
    await opened.goto("/plants?open=import");
    const file = { name: "Preisliste.csv", mimeType: "text/csv", buffer: Buffer.from(text, "latin1") };
    await dialog.getByLabel("File to import").setInputFiles(file);
    await dialog.getByText(said).waitFor();
    await dialog.screenshot({ path: join(ROOT, "docs", picture), animations: "disabled" });
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.getByRole("button", { name: "Done" }).waitFor();
  }
}

function take(name: string): Promise<Buffer> {
  return opened.page.screenshot({ path: join(ROOT, "docs", name), animations: "disabled" });
}

async function fill(page: Page): Promise<void> {
  await page.goto("/dashboard/unknown");
  await page.evaluate(async () => {
    const post = async (path: string, body: unknown) => {
      const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
      return (await fetch(path, init)).json();
    };
    const rename = (path: string, name: string) =>
      fetch(path, { method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name }) });
    await rename("/dashboard/api/account", "Iris Green");
    await rename("/dashboard/api/store", "Greenleaf Nursery");
    const token = (name: string, scopes: string[], days: number | null) =>
      post("/dashboard/api/tokens", {
        name,
        scopes,
        expires_at: days === null ? null : new Date(Date.now() + days * 86_400_000).toISOString(),
      });
    await token("Label printer", ["plants:read"], 300);
    await token("Web shop", ["plants:read"], null);
    const { secret } = await token("Greenhouse import", ["plants:read", "plants:write"], 12);
    const send = (method: string, path: string, body?: string) =>
      fetch(path, { method, body, headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" } });
    await send("POST", "/v1/plants", '{"id":4711,"name":"Monstera deliciosa","tag":"indoor"}');
    for (const name of ["Monstera adansonii", "Ficus elastica", "Calathea orbifolia"]) {
      await send("POST", "/v1/plants", JSON.stringify({ id: 4711, name, tag: "indoor" }));
    }
    await send("POST", "/v1/plants", '{"id":"4712","name":"Lavandula"}');
    await send("GET", "/v1/plants/99");
    await send("GET", "/v1/plants");
  });
}

/** The requests of one day: many in the morning, few at night. */
async function addHistory({ environment }: TestService): Promise<void> {
  const storage = await openStorage(String(environment.DATABASE_URL));
  const { records } = storage;
  const { account } = await findHolder(storage, { email: EMAIL });
  for (let slice = 0; slice < 38; slice++) {
    const plants = Array.from({ length: 500 }, (_, index) => ({
      id: BigInt(slice * 500 + index + 1),
      name: PLANTS[index % PLANTS.length] ?? "",
      tag: TAGS[index % PLANTS.length],
    }));
    await records.plants.createMany(account, plants);
  }
  const counts = Array.from({ length: 24 }, (_, hours) => {
    const at = Date.now() - hours * HOUR_MS;
    const busy = Math.max(0, Math.sin(((new Date(at).getHours() - 4) / 24) * 2 * Math.PI));
    const created = Math.round(120 + 1700 * busy + (hours % 5) * 60);
    const refused = { token: "tok_1", account: account, at, outcome: REFUSED[hours % 2] ?? 40901 };
    return [
      { token: "tok_1", account: account, at, outcome: 1, count: created },
      { ...refused, count: Math.round(created / 40) + (hours % 3) },
    ];
  });
  await records.usage.add(counts.flat());
  // Each of them was a request, answered within a few milliseconds.
  await records.usage.addLatencies(
    counts.flat().map(({ token, account, at, count }, index) => {
      const bucket = latencyBucket(1 + (index % 4));
      return { token, account, at, version: "1.0.0", bucket, count };
    }),
  );
  await records.close();
}
