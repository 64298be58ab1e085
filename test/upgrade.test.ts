import { describe, expect, test } from "bun:test";
import { ENGINES } from "./support/engines.ts";
import { LAST_SCHEMA, LAST_SCHEMA_SECRET, lastSchemaDatabase } from "./support/last-schema.ts";
import { outcomeOf } from "./support/process.ts";
import { COMMAND, startService, temporaryFolder } from "./support/service.ts";
import { onDatabase } from "./support/test-account.ts";
import { PASSWORD, TestBrowser } from "./support/test-browser.ts";
import { totpCode } from "./support/totp.ts";

describe.each(ENGINES)("a database of the last schema before people and stores were apart, on %s,", (engine) => {
  const last = LAST_SCHEMA[engine];
  const ofLastSchema = async (folder: string) => ({
    DATABASE_URL: await lastSchemaDatabase(engine, folder),
    SECRET: LAST_SCHEMA_SECRET,
  });

  test("is served with all that it holds, and everybody signs in once more as before", async () => {
    const folder = temporaryFolder();
    const service = await startService({ engine, folder, settings: await ofLastSchema(folder) });
    const ask = async (path: string, as = last.token) => (await service.send("GET", `/v1${path}`, { as })).json();

    expect(await ask("/plants?q=LYRATA")).toMatchObject({ data: [{ id: 2, name: "Ficus lyrata", tag: "window" }] });
    expect(await ask("/events?plant=3")).toMatchObject({
      data: [{ type: "plant.created" }, { type: "plant.removed" }],
    });
    expect(await ask("/webhooks")).toMatchObject({ data: [{ url: "http://127.0.0.1:1999/hook" }] });
    for (const token of [last.operatorToken, last.leftToken])
      expect(await ask("/plants", token)).toHaveProperty("data");

    const ada = new TestBrowser(service);
    await ada.signIn("ada@example.test", PASSWORD);
    expect(await ada.signedIn()).toBe(false);
    await ada.post("/auth/two-factor/verify-totp", { code: totpCode(last.totpURI) });
    const session = await (await ada.get("/dashboard/api/session")).json();
    const own = (name: string) => expect.objectContaining({ name, role: "owner" });
    expect(session).toMatchObject({ store: { id: last.people.ada.id, name: "Nursery", role: "owner" } });
    expect(session.stores).toEqual([own("Nursery"), own("bo"), own("Trial")]);
    const { people } = await (await ada.get("/dashboard/api/people")).json();
    expect(people.map(({ email, role }: Record<string, unknown>) => [email, role])).toEqual([
      ["ada@example.test", "owner"],
      ["bo@example.test", "editor"],
      ["cleo@example.test", "viewer"],
    ]);

    const trusted = new TestBrowser(service);
    trusted.cookies.set("plantstore.trusted_device", last.trusted);
    await trusted.signIn("ada@example.test", PASSWORD);
    expect(await trusted.signedIn()).toBe(true);
    const byBackupCode = new TestBrowser(service);
    await byBackupCode.signIn("ada@example.test", PASSWORD);
    await byBackupCode.post("/auth/two-factor/verify-backup-code", { code: last.backupCodes[0] });
    expect(await byBackupCode.signedIn()).toBe(true);

    // Days may have passed since it was made.
    const expires_at = Date.now() + 60_000;
    await onDatabase(service.environment, ({ db }) => db.updateTable("invitations").set({ expires_at }).execute());
    const dan = new TestBrowser(service);
    const accepted = { token: new URL(last.invitation).searchParams.get("token"), name: "Dan", password: PASSWORD };
    expect((await dan.post("/dashboard/api/invitation/accept", accepted)).status).toBe(200);

    const finn = new TestBrowser(service);
    await finn.signIn("finn@example.test", PASSWORD);
    expect(await (await finn.get("/dashboard/api/session")).json()).toMatchObject({ store: null, stores: [] });
    expect(await service.stop()).toBe(0);
    expect(service.output()).not.toContain('"level":"error"');
  });

  test("is left as it is by every command, which ends with 2 and says so", async () => {
    const folder = temporaryFolder();
    const settings = await ofLastSchema(folder);
    const commands = [
      "account list",
      "status",
      ...(engine === "sqlite" ? [`backup create --to ${folder}/backups`] : []),
    ];
    for (const command of commands) {
      const env = { PATH: process.env.PATH ?? "", ...settings };
      const child = Bun.spawn([COMMAND, ...command.split(" ")], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
      const { code, problem } = await outcomeOf(child);
      expect([command, code, problem]).toEqual([command, 2, expect.stringContaining("start `plantstore serve` on it")]);
    }
  });
});
