import { afterAll, describe, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import { SoftwareAuthenticator } from "./support/authenticator.ts";
import { eventually } from "./support/eventually.ts";
import { MailServer, type ReceivedMail } from "./support/mail-server.ts";
import { runInProcess } from "./support/run-in-process.ts";
import { startService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";
import { earlierTotpCode } from "./support/totp.ts";

const BASE_URL = "https://plants.example";

const mails = await MailServer.start();
const settings = { SMTP_URL: mails.url, BASE_URL, SIGNUP: "open", WEBHOOK_NETWORKS: "127.0.0.0/8" };
const service = await startService({ settings });
const storage = await openStorage(service.environment.DATABASE_URL ?? "", { sendsMail: true });
afterAll(async () => {
  await storage.records.close();
  await service.stop();
  await mails.stop();
});

test("`mail test` sends one message and says what the server answered, or why it did not take it", async () => {
  const run = (...args: string[]) => service.command("mail", "test", "--to", "operator@example.test", ...args);
  expect(await run()).toMatch(/^The mail server took it: 250 /);
  expect(JSON.parse(await run("--json"))).toMatchObject({
    to: "operator@example.test",
    answer: expect.stringMatching(/^250 /),
  });
  const sent = mails.received.filter(({ to }) => to === "operator@example.test");
  expect(sent.map(({ subject }) => subject)).toEqual(["Test of Plantstore's mail", "Test of Plantstore's mail"]);
  const refused = await runInProcess(["mail", "test", "--to", "a@example.test"], {
    SMTP_URL: "smtp://ann:hunter2@127.0.0.1:1",
    BASE_URL,
  });
  expect(refused.code).toBe(1);
  expect(refused.problem).toContain("SMTP_URL (127.0.0.1:1) did not take it");
  expect(refused.problem).not.toContain("hunter2");
});

describe("mail", () => {
  function browser(): TestBrowser {
    return new TestBrowser(service, { origin: BASE_URL });
  }

  async function newReader(): Promise<{ reader: TestBrowser; email: string }> {
    const email = `mail-${crypto.randomUUID()}@example.test`;
    const reader = browser();
    expect((await reader.post("/dashboard/api/welcome", { email, password: PASSWORD })).status).toBe(200);
    return { reader, email };
  }

  /** A new reader whose address is verified. */
  async function newOwner(): Promise<{ reader: TestBrowser; email: string }> {
    const made = await newReader();
    const token = tokenIn(await mailTo(made.email, "Verify your e-mail address"), "verify-email");
    expect((await browser().post("/dashboard/api/verify-email", { token })).status).toBe(204);
    return made;
  }

  /** The token of a new link that recovers the account. */
  async function recoveryOf(email: string): Promise<string> {
    await browser().post("/dashboard/api/recovery", { email });
    return tokenIn(await mailTo(email, "Set a new password"), "recovery");
  }

  const subjectsTo = (email: string) => mails.received.filter(({ to }) => to === email).map(({ subject }) => subject);

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

  test("a new account's address is verified by a link, which says so again to who opens it twice", async () => {
    const { reader, email } = await newReader();
    const mail = await mailTo(email, "Verify your e-mail address");
    expect([mail.from, mail.html.includes(BASE_URL)]).toEqual(["plantstore@plants.example", true]);
    const token = tokenIn(mail, "verify-email");
    const verify = () => browser().post("/dashboard/api/verify-email", { token });
    expect([(await verify()).status, (await verify()).status]).toEqual([204, 204]);
    const session = await (await reader.get("/dashboard/api/session")).json();
    expect(session).toMatchObject({ mail: true, account: { email_verified: true } });
  });

  test("its holder is told of a new device and of another address, at the old one", async () => {
    const { reader, email } = await newOwner();
    expect((await browser().signIn(email, PASSWORD)).status).toBe(200);
    expect((await mailTo(email, "New sign-in")).text).toContain("Firefox on Linux");
    const next = `moved-${crypto.randomUUID()}@example.test`;
    await reader.send("PATCH", "/dashboard/api/account", { email: next, password: PASSWORD });
    await mailTo(email, "E-mail address changed");
    await mailTo(next, "Verify your e-mail address");
  });

  test("an address that was never verified gets what verifies it alone, and a stranger's User-Agent is in no mail", async () => {
    const { reader, email } = await newReader();
    const evil = "https://evil.example/win/a/prize";
    const odd = new TestBrowser(service, { origin: BASE_URL, headers: { "User-Agent": evil } });
    await odd.signIn(email, PASSWORD);
    await reader.post("/auth/change-password", { currentPassword: PASSWORD, newPassword: "ficus under the stairs" });
    await mailTo(email, "Verify your e-mail address");
    await reader.post("/dashboard/api/account/send-verification");
    await eventually("the queue is empty", async () => (await waiting()) === 0);
    expect(new Set(subjectsTo(email))).toEqual(new Set(["Verify your e-mail address"]));
    const owner = await newOwner();
    await new TestBrowser(service, { origin: BASE_URL, headers: { "User-Agent": evil } }).signIn(owner.email, PASSWORD);
    expect((await mailTo(owner.email, "New sign-in")).text).toContain("Unknown device");
    // Not of the sign-up itself, which came before.
    expect(subjectsTo(owner.email).filter((subject) => subject === "New sign-in")).toHaveLength(1);
    expect(JSON.stringify(mails.received)).not.toContain("evil.example");
  });

  test("changing an account's address again and again mails to five addresses on a day", async () => {
    const { reader } = await newReader();
    const moved = Array.from({ length: 8 }, () => `moved-${crypto.randomUUID()}@example.test`);
    for (const email of moved) {
      await reader.send("PATCH", "/dashboard/api/account", { email, password: PASSWORD });
      await eventually("the queue is empty", async () => (await waiting()) === 0);
    }
    expect(moved.filter((email) => subjectsTo(email).length > 0)).toEqual(moved.slice(0, 4));
  });

  test("an invitation names nobody and verifies the address of who takes it; owners are told of one more owner, each once", async () => {
    const { reader, email } = await newOwner();
    const invited = `invited-${crypto.randomUUID()}@example.test`;
    const invite = await reader.post("/dashboard/api/people/invitations", {
      email: invited,
      role: "owner",
      password: PASSWORD,
    });
    expect([invite.status, await invite.json()]).toMatchObject([200, { link: null, invitation: { mailed: true } }]);
    const mail = await mailTo(invited, "You are invited to Plantstore");
    const name = email.slice(0, email.indexOf("@"));
    expect([mail.text, mail.html].some((text) => text.includes(name))).toBe(false);
    const form = { token: tokenIn(mail, "invitation"), name: "Moss", password: PASSWORD };
    const view = await (await browser().post("/dashboard/api/invitation", { token: form.token })).json();
    expect(view).toEqual({ store: name, email: invited, role: "owner", invited_by: name, has_account: false });
    const accepted = await browser().post("/dashboard/api/invitation/accept", form);
    const session = await accepted.json();
    expect(session).toMatchObject({ account: { email: invited, email_verified: true }, store: { role: "owner" } });
    await mailTo(email, "New owner of a store");
    const path = `/dashboard/api/people/${session.account.id}`;
    expect((await reader.send("PATCH", path, { role: "viewer", password: PASSWORD })).status).toBe(204);
    expect((await mailTo(invited, "Role changed")).text).toContain("you are a viewer of it now");
    expect((await reader.post(`${path}/remove`)).status).toBe(204);
    await mailTo(invited, "Removed from a store");
    await eventually("the queue is empty", async () => (await waiting()) === 0);
    expect(subjectsTo(email).filter((subject) => subject === "New owner of a store")).toHaveLength(1);
    expect(subjectsTo(invited)).not.toContain("New owner of a store");
  });

  describe("an account in another's address", () => {
    const NEXT = "calathea by the window";

    /** Credentials that a stranger adds to an account to get in again. */
    async function strangersThings(reader: TestBrowser) {
      const { secret } = await reader.makeToken({ scopes: ["plants:read", "webhooks:manage"] });
      const api = (method: string, path: string, body?: object) =>
        service.send(method, `/v1${path}`, { as: secret, body });
      const { id } = await (await api("POST", "/webhooks", { url: "http://127.0.0.1:1024/" })).json();
      const device = new SoftwareAuthenticator(BASE_URL);
      await reader.post("/dashboard/api/proof", { password: PASSWORD });
      const options = await (await reader.get("/auth/passkey/generate-register-options")).json();
      const response = device.register(options);
      expect((await reader.post("/auth/passkey/verify-registration", { response })).status).toBe(200);
      const { totpURI } = await (await reader.post("/auth/two-factor/enable", { password: PASSWORD })).json();
      await reader.post("/auth/two-factor/verify-totp", { code: await earlierTotpCode(totpURI) });
      const passkeySignIn = async () => {
        const visitor = browser();
        const asked = await (await visitor.get("/auth/passkey/generate-authenticate-options")).json();
        return (await visitor.post("/auth/passkey/verify-authentication", { response: device.sign(asked) })).status;
      };
      const endpoint = storage.db.selectFrom("webhook_endpoints").select(["status", "reason"]).where("id", "=", id);
      return {
        outcomes: async () => ({
          token: (await api("GET", "/webhooks")).status,
          passkey: await passkeySignIn(),
          endpoint: (await endpoint.executeTakeFirst())?.status,
          session: await reader.signedIn(),
        }),
      };
    }

    test("keeps nothing of the stranger's once the owner of the address recovers it", async () => {
      const { reader, email } = await newReader();
      const { outcomes } = await strangersThings(reader);
      expect(await outcomes()).toEqual({ token: 200, passkey: 200, endpoint: "enabled", session: true });
      const token = await recoveryOf(email);
      const found = await (await browser().post("/dashboard/api/recovery/link", { token })).json();
      expect(found).toEqual({ email_verified: false, active_tokens: 1, passkeys: 1, identities: 0, webhooks: 1 });
      const owner = browser();
      expect((await owner.post("/dashboard/api/recovery/password", { token, password: NEXT })).status).toBe(204);
      // Checked tokens are remembered for half a second.
      await eventually("the token is refused", async () => (await outcomes()).token === 401);
      expect(await outcomes()).toEqual({ token: 401, passkey: 401, endpoint: "disabled", session: false });
      // Nor do the stranger's guesses and second factor keep the owner out.
      for (let guess = 0; guess < 21; guess++) await browser().signIn(email, "not the password");
      expect(await (await owner.signIn(email, NEXT)).json()).toEqual({ two_factor: false });
      const { account } = await (await owner.get("/dashboard/api/session")).json();
      expect(account).toMatchObject({ email_verified: true, two_factor: false });
    });

    test("is told from one's own, where a recovery ends what its owner ticks", async () => {
      const { reader, email } = await newOwner();
      const { outcomes } = await strangersThings(reader);
      const token = await recoveryOf(email);
      const found = await (await browser().post("/dashboard/api/recovery/link", { token })).json();
      expect(found).toEqual({ email_verified: true, active_tokens: 1, passkeys: 1, identities: 0, webhooks: 1 });
      const form = { token, password: NEXT, disable_webhooks: true };
      expect((await browser().post("/dashboard/api/recovery/password", form)).status).toBe(204);
      expect(await outcomes()).toEqual({ token: 200, passkey: 200, endpoint: "disabled", session: false });
      expect(await (await browser().signIn(email, NEXT)).json()).toEqual({ two_factor: true });
    });
  });

  test("a mail server that is down delays nobody and loses nothing", async () => {
    await eventually("the mail of other tests is sent", async () => (await waiting()) === 0);
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
  });

  test("no link and no secret of one is in the database or in the log", async () => {
    const { email } = await newReader();
    const token = tokenIn(await mailTo(email, "Verify your e-mail address"), "verify-email");
    expect(token).toHaveLength(32);
    expect(service.output()).not.toContain(token);
    for (const table of ["mail_queue", "mail_links", "audit_entries"] as const) {
      expect(JSON.stringify(await storage.db.selectFrom(table).selectAll().execute())).not.toContain(token);
    }
  });

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
});
