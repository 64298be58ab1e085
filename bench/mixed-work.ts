import type { BenchServer } from "./bench-server.ts";

/** A person with a store of their own. */
export interface Person {
  readonly email: string;
  readonly token: string;
}

export interface MixedWorkOptions {
  readonly server: BenchServer;
  /** The token whose plants most of the work is about, and one for imports, exports and webhooks. */
  readonly token: string;
  readonly bulkToken: string;
  readonly people: readonly Person[];
  readonly password: string;
  /** Where webhooks go: one address that takes them, and one that refuses them. */
  readonly receiver: string;
}

/** How often a kind of request was answered, and how long the answers took. */
export interface Answers {
  readonly statuses: Map<string, number>;
  ms: number[];
}

const JSON_TYPE = { "Content-Type": "application/json" };
const WORDS = "Monstera Ficus Calathea Aloe Philodendron Rosa Tulipa Lavandula Salvia Acer".split(" ");
const TAGS = ["indoor", "outdoor", "shade", "sun"];
const IMPORT_LENGTH = 500;
const IMPORTED_PLANTS_MAX = 20_000;
const IN_FLIGHT_MAX = 512;
const PACE_MS = 5;
/** The first ids of imports, far from those of single creates. */
const FIRST_IMPORTED = 1_000_000_000_000;

/** From this many on as many plants are removed as are created, so that what grows later does not grow with the catalogue. */
const PLANTS_MAX = 50_000;

/** Quick requests by their share of the work. */
const SHARES = {
  create: 35,
  remove: 35,
  read: 14,
  change: 6,
  list: 3,
  search: 2,
  feed: 2,
  refused: 2,
  taken: 1,
} as const;
type Quick = keyof typeof SHARES;

/** Work of every kind, with a count of what was answered. */
export class MixedWork {
  readonly answers = new Map<string, Answers>();
  /** Plants of the first token and of the second that must be there: created less removed, by the answers. */
  readonly plants = { single: 0, bulk: 0 };
  /** Requests whose outcome is unknown, of plants that may be there or not. */
  uncertain = 0;
  /** Requests that were due and not sent, since too many were under way. */
  late = 0;
  #inFlight = 0;
  #oldest = 1;
  #next = 1;
  #nextImported = FIRST_IMPORTED;
  #oldestImported = FIRST_IMPORTED;
  #turn = 0;
  #cookie = "";
  #isOver = false;
  readonly #running: Promise<void>[] = [];

  constructor(private readonly given: MixedWorkOptions) {}

  /** Repeats the slow kinds, each at its own pace, until `end`. */
  begin(): void {
    this.#every(2000, () => this.#import());
    this.#every(10_000, () => this.#export());
    this.#every(1000, () => this.#signIn());
    this.#every(1000, () => this.#guess());
    this.#every(1000, () => this.#pages());
    this.#every(30_000, () => this.#webhooks());
    this.#every(20_000, () => this.#account());
    this.#every(30_000, () => this.#recovery());
    this.#every(1000, () => this.#get("long poll", "/v1/events?cursor=latest&wait=1", this.given.bulkToken));
    for (let stream = 0; stream < 4; stream++) this.#every(100, () => this.#stream());
    this.#every(600_000, () => this.#endpoints());
  }

  /** False while the store is still filled, and nothing is removed. */
  get isFull(): boolean {
    return this.#next - this.#oldest > PLANTS_MAX;
  }

  /** As many quick requests as are answered in this time, on so many connections; resolves with the rate. */
  async flatOut(seconds: number, connections = 64): Promise<number> {
    const start = performance.now();
    const isOver = () => performance.now() - start > seconds * 1000;
    let count = 0;
    const connection = async () => {
      for (; !isOver(); count++) await this.#quick();
    };
    await Promise.all(Array.from({ length: connections }, connection));
    return count / ((performance.now() - start) / 1000);
  }

  /** So many quick requests in each second, whatever their answers take. */
  async paced(seconds: number, rate: number): Promise<void> {
    const start = performance.now();
    let sent = 0;
    for (let ms = 0; ms < seconds * 1000; ms = performance.now() - start) {
      for (const due = (ms / 1000) * rate; sent < due; sent++) {
        if (this.#inFlight < IN_FLIGHT_MAX) void this.#quick();
        else this.late++;
      }
      await Bun.sleep(PACE_MS);
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
    while (this.#inFlight > 0) await Bun.sleep(10);
  }

  /** The times of a kind since they were last taken. */
  takeTimes(kind: string): number[] {
    const answers = this.#answersOf(kind);
    const { ms } = answers;
    answers.ms = [];
    return ms;
  }

  #every(ms: number, act: () => Promise<unknown>): void {
    const repeat = async () => {
      while (!this.#isOver) {
        const next = performance.now() + ms;
        await act().catch((error) => this.#note("failed", String(error).slice(0, 80), 0));
        while (!this.#isOver && performance.now() < next) await Bun.sleep(Math.min(200, ms));
      }
    };
    this.#running.push(repeat());
  }

  async #quick(): Promise<void> {
    this.#inFlight++;
    try {
      await this.#actOf(this.#kind())();
    } finally {
      this.#inFlight--;
    }
  }

  #kind(): Quick {
    let at = Math.random() * 100;
    for (const [kind, share] of Object.entries(SHARES)) {
      at -= share;
      if (at < 0) return kind as Quick;
    }
    return "create";
  }

  #actOf(kind: Quick): () => Promise<unknown> {
    const { token } = this.given;
    const known = () => this.#oldest + Math.floor(Math.random() * (this.#next - this.#oldest));
    const word = () => WORDS[Math.floor(Math.random() * WORDS.length)];
    const acts: Readonly<Record<Quick, () => Promise<unknown>>> = {
      create: () => this.#create(this.#next++),
      remove: () => (this.isFull ? this.#remove(this.#oldest++) : this.#create(this.#next++)),
      read: () => this.#get("read", `/v1/plants/${known()}`, token),
      change: () => this.#send("change", "PATCH", `/v1/plants/${known()}`, token, { name: `${word()} ${Date.now()}` }),
      list: () => this.#get("list", `/v1/plants?limit=100&order=${Math.random() < 0.5 ? "id" : "-created_at"}`, token),
      search: () => this.#get("search", `/v1/plants?limit=20&q=${word()}%20${known()}`, token),
      feed: () => this.#get("feed", "/v1/events?limit=100", token),
      refused: () => this.#get("refused", "/v1/plants", "plant_nothing"),
      taken: () => this.#send("taken", "POST", "/v1/plants", token, { id: known(), name: "another name" }),
    };
    return acts[kind];
  }

  async #create(id: number): Promise<void> {
    const name = `${WORDS[id % WORDS.length]} no. ${id}`;
    const { token } = this.given;
    const status = await this.#send("create", "POST", "/v1/plants", token, { id, name, tag: TAGS[id % TAGS.length] });
    this.#count("single", status, 200, 1);
  }

  async #remove(id: number): Promise<void> {
    this.#count("single", await this.#send("remove", "DELETE", `/v1/plants/${id}`, this.given.token), 204, -1);
  }

  #count(whose: "single" | "bulk", status: number, success: number, plants: number): void {
    if (status === success) this.plants[whose] += plants;
    else if (status === 0 || status >= 500) this.uncertain++;
  }

  /** An import, and the removal of as many plants once there are many. */
  async #import(): Promise<void> {
    const lines = Array.from({ length: IMPORT_LENGTH }, () => {
      const id = this.#nextImported++;
      return JSON.stringify({ id, name: `${WORDS[id % WORDS.length]} ${id}`, tag: `bed ${id % 50}` });
    });
    const { bulkToken } = this.given;
    const headers = { "Content-Type": "application/x-ndjson" };
    const answer = await this.#answer("import", "POST", "/v1/plants/import", bulkToken, lines.join("\n"), headers);
    if (answer?.ok) this.plants.bulk += (JSON.parse(answer.text) as { created: number }).created;
    else this.uncertain += IMPORT_LENGTH;
    while (this.#nextImported - this.#oldestImported > IMPORTED_PLANTS_MAX) {
      const path = `/v1/plants/${this.#oldestImported++}`;
      this.#count("bulk", await this.#send("removal of an imported plant", "DELETE", path, bulkToken), 204, -1);
    }
  }

  /** Every other export is left after its first bytes. */
  async #export(): Promise<void> {
    const { server, bulkToken } = this.given;
    const headers = { Authorization: `Bearer ${bulkToken}` };
    const start = performance.now();
    const answer = await fetch(`${server.url}/v1/plants/export`, { headers });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const isLeft = this.#turn++ % 2 === 0;
    while (!(await reader.read()).done) if (isLeft) await reader.cancel();
    this.#note(isLeft ? "export that is left" : "export", String(answer.status), performance.now() - start);
  }

  /** A stream of events that is read for up to ten seconds. */
  async #stream(): Promise<void> {
    const { server, bulkToken } = this.given;
    const headers = { Authorization: `Bearer ${bulkToken}`, Accept: "text/event-stream" };
    const leaving = new AbortController();
    const answer = await fetch(`${server.url}/v1/events?cursor=latest`, { headers, signal: leaving.signal });
    const timer = setTimeout(() => leaving.abort(), 1000 + Math.random() * 9000);
    let bytes = 0;
    try {
      for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) bytes += part.length;
    } catch {
      // It was left.
    }
    clearTimeout(timer);
    this.#note("stream", `${answer.status}${bytes > 0 ? "" : ", nothing"}`, 0);
  }

  /** Two endpoints that stay: one is told of each event, the other that there are some. */
  async #endpoints(): Promise<void> {
    const { token, bulkToken, receiver } = this.given;
    const url = `${receiver}/taken`;
    const { length } = JSON.parse(
      (await this.#answer("endpoints", "GET", "/v1/webhooks", bulkToken))?.text ?? "{}",
    ).data;
    if (length > 0) return;
    await this.#send("new endpoint", "POST", "/v1/webhooks", bulkToken, { url, events: ["plant.created"] });
    await this.#send("new endpoint", "POST", "/v1/webhooks", token, { url, delivery: "notice" });
  }

  /** An endpoint that refuses everything, a test and a replay, and its end. */
  async #webhooks(): Promise<void> {
    const { bulkToken: as, receiver } = this.given;
    const made = await this.#answer("new endpoint", "POST", "/v1/webhooks", as, { url: `${receiver}/refused` });
    const { id } = JSON.parse(made?.text || "{}") as { id?: string };
    if (id === undefined) return;
    await Bun.sleep(5000);
    await this.#get("deliveries", `/v1/webhooks/${id}/deliveries`, as);
    await this.#send("test of an endpoint", "POST", `/v1/webhooks/${id}/test`, as, {});
    await this.#send("removed endpoint", "DELETE", `/v1/webhooks/${id}`, as);
  }

  /** A person signs in, makes a token, uses and revokes it, invites somebody, and perhaps signs out. */
  async #signIn(): Promise<void> {
    const { people, password } = this.given;
    const turn = this.#turn++;
    const { email } = people[turn % people.length] as Person;
    const cookie = await this.#session("sign-in", "/auth/sign-in/email", { email, password });
    if (cookie === "") return;
    await this.#answer("page's list", "GET", "/dashboard/api/v1/plants", "", undefined, { Cookie: cookie });
    const form = { name: `run ${turn}`, scopes: ["plants:read"], expires_at: null };
    const made = await this.#page("new token", "/dashboard/api/tokens", cookie, form);
    const { secret, token } = JSON.parse(made?.text || "{}") as { secret?: string; token?: { id: string } };
    if (secret && token) {
      await this.#get("list by a new token", "/v1/plants?limit=1", secret);
      await this.#page("revoked token", `/dashboard/api/tokens/${token.id}/revoke`, cookie, {});
    }
    if (turn % 8 === 0) await this.#invite(cookie, turn);
    if (turn % 2 === 0) await this.#page("sign-out", "/auth/sign-out", cookie, {});
    else this.#cookie = cookie;
  }

  async #invite(cookie: string, turn: number): Promise<void> {
    const invited = { email: `guest${turn}@example.test`, role: "viewer", link: true };
    const made = await this.#page("invitation", "/dashboard/api/people/invitations", cookie, invited);
    const { id } = (JSON.parse(made?.text || "{}") as { invitation?: { id: string } }).invitation ?? {};
    if (id && turn % 16 === 0)
      await this.#page("revoked", `/dashboard/api/people/invitations/${id}/revoke`, cookie, {});
  }

  /** A wrong password, from a network that was never seen before. */
  #guess(): Promise<unknown> {
    const email = `stranger${this.#turn++}@example.test`;
    return this.#session("wrong password", "/auth/sign-in/email", { email, password: "a wrong password" });
  }

  #recovery(): Promise<unknown> {
    const { people } = this.given;
    const { email } = people[this.#turn++ % people.length] as Person;
    return this.#page("recovery", "/dashboard/api/recovery", "", { email });
  }

  async #pages(): Promise<void> {
    if (this.#cookie === "") return;
    const paths = ["overview", "usage?range=day&zone_minutes=0", "requests", "audit", "tokens", "sessions", "people"];
    const path = paths[this.#turn++ % paths.length];
    await this.#answer("page", "GET", `/dashboard/api/${path}`, "", undefined, { Cookie: this.#cookie });
  }

  /** An account that is made, has a test store that is emptied, and is removed with all of its plants. */
  async #account(): Promise<void> {
    const { password } = this.given;
    const email = `grower${this.#turn++}.${Date.now()}@example.test`;
    const cookie = await this.#session("new account", "/dashboard/api/welcome", { email, password });
    if (cookie === "") return;
    const made = await this.#page("new store", "/dashboard/api/stores", cookie, { name: "Trials", test: true });
    const { id } = JSON.parse(made?.text || "{}") as { id?: string };
    const store = { "Plantstore-Account": id ?? "" };
    const form = { name: "trials", scopes: ["plants:write"], expires_at: null };
    const { secret } = JSON.parse(
      (await this.#page("new token", "/dashboard/api/tokens", cookie, form, store))?.text || "{}",
    );
    const lines = Array.from({ length: IMPORT_LENGTH }, (_, at) => JSON.stringify({ id: at, name: `trial ${at}` }));
    const type = { "Content-Type": "application/x-ndjson" };
    await this.#answer("import", "POST", "/v1/plants/import", secret ?? "", lines.join("\n"), type);
    await this.#page("emptied store", "/dashboard/api/store/empty", cookie, { name: "Trials", password }, store);
    await this.#page("removed account", "/dashboard/api/account/delete", cookie, { email, password });
  }

  /** The cookies of a new session; empty if there is none. */
  async #session(kind: string, path: string, form: object): Promise<string> {
    const answer = await this.#page(kind, path, "", form);
    return answer?.ok ? answer.cookies : "";
  }

  #page(kind: string, path: string, cookie: string, form: object, more: Record<string, string> = {}) {
    const network = Array.from({ length: 3 }, () => Math.floor(Math.random() * 256)).join(".");
    const headers = { Origin: this.given.server.url, Cookie: cookie, "X-Forwarded-For": `11.${network}`, ...more };
    return this.#answer(kind, "POST", path, "", form, headers);
  }

  async #get(kind: string, path: string, token: string): Promise<number> {
    return (await this.#answer(kind, "GET", path, token))?.status ?? 0;
  }

  async #send(kind: string, method: string, path: string, token: string, body?: object): Promise<number> {
    return (await this.#answer(kind, method, path, token, body))?.status ?? 0;
  }

  /** Undefined if there was no answer. */
  async #answer(
    kind: string,
    method: string,
    path: string,
    token: string,
    body?: object | string,
    more: Record<string, string> = {},
  ) {
    const headers = { ...JSON_TYPE, ...(token && { Authorization: `Bearer ${token}` }), ...more };
    const text = typeof body === "object" ? JSON.stringify(body) : body;
    const start = performance.now();
    try {
      const answer = await fetch(this.given.server.url + path, { method, headers, ...(text && { body: text }) });
      const answered = await answer.text();
      this.#note(kind, String(answer.status), performance.now() - start);
      const cookies = answer.headers.getSetCookie().map((line) => line.split(";")[0]);
      return { ok: answer.ok, status: answer.status, text: answered, cookies: cookies.join("; ") };
    } catch {
      this.#note(kind, "no answer", performance.now() - start);
      return undefined;
    }
  }

  #note(kind: string, status: string, ms: number): void {
    const { statuses, ms: times } = this.#answersOf(kind);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (ms > 0) times.push(ms);
  }

  #answersOf(kind: string): Answers {
    const found = this.answers.get(kind) ?? { statuses: new Map(), ms: [] };
    this.answers.set(kind, found);
    return found;
  }
}
