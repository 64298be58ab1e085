import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Person } from "#core/person.ts";
import type { Role } from "#core/role.ts";
import { newSecret } from "#core/token.ts";
import type { Storage } from "#storage/storage.ts";
import type { TestEngine } from "./engines.ts";
import { eventually } from "./eventually.ts";
import { startService, type TestService } from "./service.ts";
import { addAccount, type Holder, onDatabase } from "./test-account.ts";
import { PASSWORD, TestBrowser } from "./test-browser.ts";
import { startUpload } from "./upload.ts";

/** A right that is taken away on one node is refused on every node within this time. */
const HOLDS_MS_MAX = 1000;

const ROUNDS = 40;
const AT_ONCE = 4;
const KEPT = expect.stringMatching(
  /^The bulk create stopped, since the session, or what it allows in this store, has ended: (?:everything up to line \d+ is|no line is sure to be) on disk/,
);

/** Each engine has a file of its own, and these run beside each other. */
export function changesOfPeople(engine: TestEngine): void {
  describe(`a change of the people of a store, on ${engine},`, () => tests(engine));
}

/** On SQLite one node is both. */
function tests(engine: TestEngine): void {
  let [first, second] = [{} as TestService, {} as TestService];
  let store: Holder;
  let owner: TestBrowser;

  beforeAll(async () => {
    first = await startService({ engine });
    second = engine === "sqlite" ? first : await startService({ engine, settings: first.environment });
    store = await onDatabase(first.environment, (storage) => addAccount(storage, "owner@example.test"));
    owner = await signedIn(first, store);
  });
  afterAll(async () => {
    await Promise.all(new Set([first, second]).values().map((node) => node.stop()));
  });

  async function signedIn(node: TestService, { email }: Person): Promise<TestBrowser> {
    const browser = new TestBrowser(node);
    expect((await browser.signIn(email, PASSWORD)).status).toBe(200);
    return browser;
  }

  async function join(role: Role, person?: Person): Promise<Person> {
    return onDatabase(first.environment, async (storage) => {
      const joining = person ?? (await addAccount(storage, `${crypto.randomUUID()}@example.test`));
      const caller = { account: store.account, actor: { kind: "operator", id: "", name: "tests" } } as const;
      await storage.records.members.add(caller, joining, role);
      return joining;
    });
  }

  /** A member with a page that is open on the second node; who belonged to the store before joins it again. */
  async function member(role: Role, before?: { person: Person; browser: TestBrowser }) {
    const person = await join(role, before?.person);
    const browser = before?.browser ?? (await signedIn(second, person));
    const headers = { "Plantstore-Account": store.storeId };
    const page = (method: string, path: string, body?: unknown, more = {}) =>
      browser.send(method, `/dashboard/api${path}`, body, { ...headers, ...more });
    return { person, browser, headers, page };
  }

  type Member = Awaited<ReturnType<typeof member>>;

  /** Resolves with the time at which it was answered. */
  async function change({ id }: Person, role: Role | "removed"): Promise<number> {
    const path = `/dashboard/api/people/${id}`;
    const answer = await (role === "removed" ? owner.post(`${path}/remove`, {}) : owner.send("PATCH", path, { role }));
    expect(answer.status).toBe(204);
    return performance.now();
  }

  test(`ends the import of a page of who may write no more within a second, which says what was kept, ${ROUNDS} times`, async () => {
    let members: Member[] = [];
    for (let round = 0; round < ROUNDS; round += AT_ONCE) {
      members = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => member("editor", members[at])));
      await Promise.all(
        members.map(async ({ person, browser, headers }, at) => {
          const upload = startUpload(second, { ...browser.headers, ...headers });
          upload.send(600);
          const dripping = setInterval(() => upload.send(20), 50);
          await Bun.sleep(100 + 50 * at);
          const changedAt = await change(person, at % 2 === 0 ? "viewer" : "removed");
          const answer = await upload.answer;
          const endedAt = performance.now();
          clearInterval(dripping);
          expect(endedAt - changedAt).toBeLessThan(HOLDS_MS_MAX);
          const error = at % 2 === 0 ? 40356 : 40450;
          expect(await answer.json()).toEqual({ error, message: KEPT });
        }),
      );
      for (const [at, { person }] of members.entries()) if (at % 2 === 0) await change(person, "removed");
    }
  }, 120_000);

  async function ruled(second_factor_required: boolean): Promise<number> {
    const stores = ({ db }: Storage) => db.updateTable("stores").set({ second_factor_required });
    await onDatabase(first.environment, (storage) => stores(storage).where("id", "=", store.storeId).execute());
    return performance.now();
  }
  async function factor({ person }: Member, isOn: boolean): Promise<number> {
    const sealed = isOn ? "sealed" : null;
    const people = ({ db }: Storage) => db.updateTable("people").set({ second_factor: sealed, backup_codes: sealed });
    await onDatabase(first.environment, (storage) => people(storage).where("id", "=", person.id).execute());
    return performance.now();
  }

  const signOut = ({ browser }: Member) => browser.post("/auth/sign-out").then(() => performance.now());
  test.each([
    ["is removed", async () => {}, ({ person }: Member) => change(person, "removed")],
    ["signs out", async () => {}, signOut],
    ["has no second factor when the store begins to ask for one", async () => {}, () => ruled(true)],
    [
      "gives up the second factor that the store asks for",
      async (viewer: Member) => {
        await factor(viewer, true);
        await ruled(true);
      },
      (viewer: Member) => factor(viewer, false),
    ],
  ])("ends the stream of a page of who %s within a second", async (_what, begin, act) => {
    const viewer = await member("viewer");
    await begin(viewer);
    const answer = await viewer.page("GET", "/v1/events?cursor=latest", undefined, { Accept: "text/event-stream" });
    expect(answer.status).toBe(200);
    const over = answer.text().then(() => performance.now());
    const changedAt = await act(viewer);
    expect((await over) - changedAt).toBeLessThan(HOLDS_MS_MAX);
    await ruled(false);
  });

  test("cuts the export of a page of who is removed within a second, and goes on for who may read still", async () => {
    await onDatabase(first.environment, async ({ records }) => {
      for (let slice = 0; slice < 24; slice++) {
        const plants = Array.from({ length: 250 }, (_, at) => {
          return { id: BigInt(10_000 + slice * 250 + at), name: "x".repeat(4000), tag: null };
        });
        await records.plants.createMany(store.account, plants as never);
      }
    });
    const [leaving, staying] = [await member("editor"), await member("editor")];
    const exported = ({ page }: typeof leaving) => page("GET", "/v1/plants/export");
    const [cut, kept] = [await exported(leaving), await exported(staying)];
    expect([cut.status, kept.status]).toEqual([200, 200]);
    await change(staying.person, "viewer");
    const changedAt = await change(leaving.person, "removed");
    await eventually("the export is cut", () => second.output().includes("export cut"));
    expect(performance.now() - changedAt).toBeLessThan(HOLDS_MS_MAX);
    expect((await kept.text()).split("\n").length).toBeGreaterThan(6000);
    await expect(cut.text()).rejects.toThrow();
  });

  test("cuts the export of a program within a second after its token was revoked", async () => {
    const [secret, id] = await onDatabase(first.environment, async ({ records }) => {
      const given = newSecret(() => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0);
      const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
      const caller = { account: store.account, actor: { kind: "operator", id: "", name: "tests" } } as const;
      return [given, (await records.tokens.add(caller, token, given)).id] as const;
    });
    const cuts = () => second.output().split("export cut").length;
    const before = cuts();
    const answer = await second.send("GET", "/v1/plants/export", { as: secret });
    expect(answer.status).toBe(200);
    expect((await owner.post(`/dashboard/api/tokens/${id}/revoke`)).status).toBe(200);
    const changedAt = performance.now();
    await eventually("the export is cut", () => cuts() > before);
    expect(performance.now() - changedAt).toBeLessThan(HOLDS_MS_MAX);
    await expect(answer.text()).rejects.toThrow();
  });

  test("holds for what the pages of the person ask for next, on the other node", async () => {
    const { person, browser, page } = await member("developer");
    const errorOf = async (answer: Promise<Response>) => (await (await answer).json()).error;
    const create = () => page("POST", "/v1/plants", { id: 1, name: "x" });
    expect((await page("GET", "/tokens")).status).toBe(200);
    await change(person, "editor");
    expect(await errorOf(page("GET", "/tokens"))).toBe(40356);
    expect(await errorOf(page("GET", "/v1/webhooks"))).toBe(40356);
    expect([(await page("GET", "/overview")).status, (await create()).status]).toEqual([200, 200]);
    await change(person, "removed");
    expect(await errorOf(page("GET", "/overview"))).toBe(40450);
    expect(await errorOf(create())).toBe(40450);
    expect((await browser.get("/dashboard/api/session")).status).toBe(200);
  });
}
