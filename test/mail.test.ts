import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { ENGINES } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { MailServer, type ReceivedMail } from "./support/mail-server.ts";
import { startService, type TestService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

const BASE_URL = "https://plants.example";

describe.each(ENGINES)("mail, on %s", (engine) => {
  let mails: MailServer;
  let service: TestService;
  let storage: Storage;

  beforeAll(async () => {
    mails = await MailServer.start();
    const settings = { SMTP_URL: mails.url, BASE_URL, SIGNUP: "open" };
    service = await startService({ engine, settings });
    storage = await openStorage(service.environment.DATABASE_URL ?? "", { sendsMail: true });
  });
  afterAll(async () => {
    await storage.store.close();
    await service.stop();
    await mails.stop();
  });

  function browser(): TestBrowser {
    return new TestBrowser(service, { origin: BASE_URL });
  }

  async function newReader(): Promise<{ reader: TestBrowser; email: string }> {
    const email = `mail-${crypto.randomUUID()}@example.test`;
    const reader = browser();
    expect((await reader.post("/dashboard/api/welcome", { email, password: PASSWORD })).status).toBe(200);
    return { reader, email };
  }

  async function mailTo(email: string, subject: string): Promise<ReceivedMail> {
    let found: ReceivedMail | undefined;
    await eventually(`"${subject}" arrives at ${email}`, () => {
      found = mails.received.find((mail) => mail.to === email && mail.subject === subject);
      return found !== undefined;
    });
    if (!found) throw new Error("unreachable");
    return found;
  }

  function tokenIn({ text }: ReceivedMail, page: string): string {
    return new RegExp(`${BASE_URL}/dashboard/${page}\\?token=([\\w-]+)`).exec(text)?.[1] ?? "";
  }

  test("a new account's address is verified by a link that works once", async () => {
    const { reader, email } = await newReader();
    const mail = await mailTo(email, "Verify your e-mail address");
    expect([mail.from, mail.html.includes(BASE_URL)]).toEqual(["plantstore@plants.example", true]);
    const token = tokenIn(mail, "verify-email");
    const verify = () => browser().post("/dashboard/api/verify-email", { token });
    expect([(await verify()).status, (await verify()).status]).toEqual([204, 403]);
    const session = await (await reader.get("/dashboard/api/session")).json();
    expect(session).toMatchObject({ mail: true, account: { email_verified: true } });
  }, 60_000);

  test("a lost password is recovered once, and every session ends", async () => {
    const { reader, email } = await newReader();
    expect((await browser().post("/dashboard/api/recovery", { email })).status).toBe(204);
    const token = tokenIn(await mailTo(email, "Set a new password"), "recovery");
    const recover = (password: string) => browser().post("/dashboard/api/recovery/password", { token, password });
    expect((await recover("short")).status).toBe(400);
    expect((await recover("ficus under the stairs")).status).toBe(204);
    const again = await recover("calathea by the window");
    expect([again.status, (await again.json()).error]).toEqual([403, 40355]);
    expect(await reader.signedIn()).toBe(false);
    expect((await browser().signIn(email, PASSWORD)).status).toBe(401);
    expect((await browser().signIn(email, "ficus under the stairs")).status).toBe(200);
    await mailTo(email, "Password changed");
  }, 60_000);

  test("a recovery link is refused after an hour", async () => {
    const { email } = await newReader();
    await browser().post("/dashboard/api/recovery", { email });
    const token = tokenIn(await mailTo(email, "Set a new password"), "recovery");
    const account = await storage.store.accounts.findByEmail(email);
    const links = storage.db.updateTable("mail_links").where("user_id", "=", account?.id ?? "");
    await links.set({ expires_at: Date.now() - 1 }).execute();
    const form = { token, password: "ficus under the stairs" };
    expect((await browser().post("/dashboard/api/recovery/password", form)).status).toBe(403);
  }, 60_000);

  test("recovery tells nobody whether there is an account, and sends nothing where there is none", async () => {
    const { email } = await newReader();
    const ask = (address: string) => browser().post("/dashboard/api/recovery", { email: address });
    const nobody = `nobody-${crypto.randomUUID()}@example.test`;
    const answers = [await ask(email), await ask(nobody)];
    const seen = await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]));
    expect(seen[0]).toEqual(seen[1] ?? []);
    await mailTo(email, "Set a new password");
    await eventually("the queue is empty", async () => (await waiting()) === 0);
    expect(mails.received.filter((mail) => mail.to === nobody)).toEqual([]);
    await ask(email);
    await ask(email);
    expect((await ask(email)).status).toBe(429);
  }, 60_000);

  test("its holder is told of a new device and of another address, at the old one", async () => {
    const { reader, email } = await newReader();
    expect((await browser().signIn(email, PASSWORD)).status).toBe(200);
    expect((await mailTo(email, "New sign-in")).text).toContain("Firefox on Linux");
    const next = `moved-${crypto.randomUUID()}@example.test`;
    await reader.send("PATCH", "/dashboard/api/account", { email: next, password: PASSWORD });
    await mailTo(email, "E-mail address changed");
    await mailTo(next, "Verify your e-mail address");
  }, 60_000);

  test("tokens that expire within a week are told once", async () => {
    const { reader, email } = await newReader();
    const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
    await reader.post("/dashboard/api/tokens", { name: "Greenhouse import", scopes: ["plants:read"], expires_at });
    await storage.mail.noticeExpiringTokens(Date.now() + 20 * 86_400_000);
    expect(mails.received.filter((mail) => mail.to === email && mail.subject === "Tokens expire soon")).toEqual([]);
    await storage.mail.noticeExpiringTokens(Date.now() + 24 * 86_400_000);
    await storage.mail.noticeExpiringTokens(Date.now() + 25 * 86_400_000);
    // Queued under the time that was given: let it be due now.
    await storage.db.updateTable("mail_queue").set({ next_at: 0 }).execute();
    expect((await mailTo(email, "Tokens expire soon")).text).toContain("Greenhouse import");
    await eventually("the queue is empty", async () => (await waiting()) === 0);
    expect(mails.received.filter((mail) => mail.to === email && mail.subject === "Tokens expire soon")).toHaveLength(1);
  }, 60_000);

  test("a mail server that is down delays nobody and loses nothing", async () => {
    await mails.stop();
    const { email } = await newReader();
    const waitingMail = async () => (await storage.db.selectFrom("mail_queue").selectAll().execute()).at(0);
    await eventually("a first attempt failed", async () => Number((await waitingMail())?.attempts ?? 0) === 1);
    await mails.startAgain();
    await eventually("the message waits for its next attempt", async () => {
      return Number((await waitingMail())?.next_at ?? 0) < Date.now() + 90_000;
    });
    await storage.db.updateTable("mail_queue").set({ next_at: 0 }).execute();
    await mailTo(email, "Verify your e-mail address");
  }, 60_000);

  test("no link and no secret of one is in the database or in the log", async () => {
    const { email } = await newReader();
    const token = tokenIn(await mailTo(email, "Verify your e-mail address"), "verify-email");
    expect(token).toHaveLength(32);
    expect(service.output()).not.toContain(token);
    for (const table of ["mail_queue", "mail_links", "audit_entries"] as const) {
      expect(JSON.stringify(await storage.db.selectFrom(table).selectAll().execute())).not.toContain(token);
    }
  }, 60_000);

  async function waiting(): Promise<number> {
    return (await storage.db.selectFrom("mail_queue").select("id").execute()).length;
  }
});

test("without SMTP_URL there is no recovery by mail, and the sign-in page is told so", async () => {
  const service = await startService();
  const { browser, email } = await signedInBrowser(service);
  expect(await (await browser.get("/dashboard/api/welcome")).json()).toMatchObject({ mail: false });
  expect((await new TestBrowser(service).post("/dashboard/api/recovery", { email })).status).toBe(404);
  await service.stop();
}, 60_000);

test("SMTP_URL without BASE_URL stops the start, and the address with its password is not repeated", async () => {
  const starting = startService({ settings: { SMTP_URL: "smtp://user:hunter22@127.0.0.1:1" } });
  const problem = await starting.catch((error: unknown) => String(error));
  expect(problem).toContain("BASE_URL must be set where SMTP_URL is");
  expect(problem).not.toContain("hunter22");
}, 60_000);
