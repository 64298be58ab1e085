import { type ApiRequest, requestInit } from "./api-request.ts";
import type { TestEngine } from "./engines.ts";
import { eventually } from "./eventually.ts";
import { Mirror } from "./mirror.ts";
import { queryOnce } from "./query.ts";
import { describe, isLinearizable, type Operation } from "./register.ts";
import { startService, type TestService } from "./service.ts";

const CLIENTS = 8;
/** Only a few ids are in use at a time, and each for a bounded number of operations, so that a history is searched at once. */
const IDS_AT_ONCE = 3;
const OPERATIONS_AN_ID = 24;
const REPEATS_MAX = 2;
const ANSWER_MS_MAX = 1500;
const PAUSE_MS_MAX = 2000;
/** The least number of ids and of events, which may take longer than the time asked for on a busy machine. */
const TRIED_MIN = 11;
/** The plant that is created when all else has ended: once its event is read, so is every other. */
const LAST_ID = "-1";

const KINDS: readonly Operation["kind"][] = [
  "create",
  "create",
  "put",
  "update",
  "change",
  "remove",
  "drop",
  "read",
  "read",
];
const WRITING: readonly Operation["kind"][] = ["create", "change", "put", "update"];
/** So many records beside it have ids that there are never: they are refused, or missing. */
const RECORDS_BESIDE = 20;

export interface HistoriesOptions {
  readonly engine: TestEngine;
  readonly seconds: number;
  readonly seed: number;
  /** The number of services; SQLite has one. */
  readonly nodes: number;
}

export interface HistoriesReport {
  readonly ids: number;
  readonly events: number;
  /** The number of operations by their answers, and of faults by their names. */
  readonly counts: ReadonlyMap<string, number>;
  /** Histories that no single plant can have, and where the feed tells another story. */
  readonly problems: readonly string[];
}

/**
 * Clients create, change, remove and read the same few plants at once through several services, which meanwhile are
 * killed and started again, paused, and cut off from their database. Then each id's history is compared with that of a
 * single plant, and the feed, which was followed all the time, with the plants at the end.
 */
export async function runHistories(options: HistoriesOptions): Promise<HistoriesReport> {
  const histories = new Histories(options, await startNodes(options));
  return histories.run();
}

async function startNodes({ engine, nodes }: HistoriesOptions): Promise<TestService[]> {
  const first = await startService({ engine });
  const settings = { DATABASE_URL: first.environment.DATABASE_URL ?? "" };
  const others = Array.from({ length: engine === "sqlite" ? 0 : nodes - 1 }, () => startService({ engine, settings }));
  return [first, ...(await Promise.all(others))];
}

type Answer = { readonly status: number; readonly headers: Headers; readonly body: string };

class Histories {
  readonly #histories = new Map<string, Operation[]>();
  readonly #counts = new Map<string, number>();
  readonly #mirror = new Mirror();
  readonly #random: () => number;
  #started = 0;
  #token = "";
  #running = true;
  #following = true;

  constructor(
    private readonly options: HistoriesOptions,
    private readonly nodes: TestService[],
  ) {
    this.#random = randomFrom(options.seed);
  }

  async run(): Promise<HistoriesReport> {
    this.#token = await (this.nodes[0] as TestService).token();
    const clients = Array.from({ length: CLIENTS }, (_, client) => this.#act(client));
    const follower = this.#follow();
    await this.#disturb();
    this.#running = false;
    await Promise.all(clients);
    const plants = await this.#plantsAtTheEnd();
    await follower;
    await Promise.all(this.nodes.map((node) => node.stop()));
    return {
      ids: this.#histories.size,
      events: this.#mirror.events,
      counts: this.#counts,
      problems: [...this.#badHistories(), ...this.#mirror.problems, ...this.#differences(plants)],
    };
  }

  async #act(client: number): Promise<void> {
    while (this.#running) {
      const window = Math.floor(this.#started++ / (IDS_AT_ONCE * OPERATIONS_AN_ID));
      const id = String(window * IDS_AT_ONCE + this.#below(IDS_AT_ONCE));
      const kind = KINDS[this.#below(KINDS.length)] ?? "read";
      const name = WRITING.includes(kind) ? `${client}-${this.#started}` : undefined;
      let answered = await this.#operate(id, kind, name);
      // What a client does that saw no answer: it repeats the create, through any service.
      for (let repeat = 0; !answered && kind === "create" && repeat < REPEATS_MAX; repeat++) {
        answered = await this.#operate(id, kind, name);
      }
    }
  }

  /** Returns false if no answer was seen. */
  async #operate(id: string, kind: Operation["kind"], name: string | undefined): Promise<boolean> {
    const node = this.#anyNode();
    const calledAt = performance.now();
    const answer = await request(node, kind, id, name, this.#token);
    if (answer === "refused") {
      await Bun.sleep(20);
      return false;
    }
    const operation = { kind, name, calledAt, answeredAt: performance.now(), answer };
    if (answer !== undefined || kind !== "read") this.#historyOf(id).push(operation);
    this.#count(`${kind}: ${answer?.replace(/ .*/, "") ?? "no answer"}`);
    return answer !== undefined;
  }

  #historyOf(id: string): Operation[] {
    const history = this.#histories.get(id) ?? [];
    this.#histories.set(id, history);
    return history;
  }

  /** One fault after the other, so that some service can always be reached soon; each at least once, until enough was tried. */
  async #disturb(): Promise<void> {
    const until = performance.now() + this.options.seconds * 1000;
    const faults = {
      pause: this.#pause,
      ...(this.options.engine === "postgres" && { cut: this.#cut }),
      kill: this.#kill,
    };
    do {
      for (const [name, fault] of Object.entries(faults)) {
        await Bun.sleep(this.#below(500));
        await fault.call(this, this.#below(this.nodes.length));
        this.#count(name);
      }
    } while (performance.now() < until || Math.min(this.#histories.size, this.#mirror.events) < TRIED_MIN);
  }

  async #kill(at: number): Promise<void> {
    const node = this.nodes[at] as TestService;
    await node.kill();
    this.nodes[at] = await node.restart();
  }

  async #pause(at: number): Promise<void> {
    const node = this.nodes[at] as TestService;
    node.process.kill("SIGSTOP");
    await Bun.sleep(this.#below(PAUSE_MS_MAX));
    node.process.kill("SIGCONT");
  }

  /** Ends some of the connections of all services, whatever is under way on them. */
  async #cut(): Promise<void> {
    await this.#query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'plantstore' AND random() < 0.5`,
    );
  }

  /** Reads on from its cursor, through any service, until the last plant's event has come. */
  async #follow(): Promise<void> {
    for (let cursor = ""; this.#following; ) {
      const path = `/v1/events?limit=200&wait=1${cursor && `&cursor=${cursor}`}`;
      const page = await sent(this.#anyNode(), "GET", path, this.#token).catch(() => undefined);
      if (page?.status !== 200) {
        await Bun.sleep(20);
        continue;
      }
      const { data, next_cursor } = JSON.parse(page.body);
      for (const event of data) {
        if (event.data.plant_id === LAST_ID) this.#following = false;
        else this.#mirror.follow(event);
      }
      cursor = next_cursor;
    }
  }

  /** When nothing is under way any more, not in the database either. */
  async #plantsAtTheEnd(): Promise<Map<string, string>> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    if (this.options.engine === "postgres") {
      await eventually("every statement has ended", async () => {
        const others = "datname = current_database() AND pid <> pg_backend_pid()";
        return (await this.#query(`SELECT FROM pg_stat_activity WHERE ${others}`)).length === 0;
      });
    }
    const node = await (this.nodes[0] as TestService).restart();
    this.nodes.splice(0, this.nodes.length, node);
    const plants = new Map<string, string>();
    const exported = await sent(node, "GET", "/v1/plants/export", this.#token, undefined, 30_000);
    for (const line of exported.body.split("\n").filter(Boolean)) {
      const { name } = JSON.parse(line);
      plants.set(/"id":(\d+)/.exec(line)?.[1] ?? "", name);
    }
    for (const [id, history] of this.#histories) {
      const now = performance.now();
      const name = plants.get(id);
      history.push({
        kind: "read",
        calledAt: now,
        answeredAt: now,
        answer: name === undefined ? "absent" : `read ${name}`,
      });
    }
    await node.send("POST", "/v1/plants", { as: this.#token, body: `{"id":${LAST_ID},"name":"last"}` });
    return plants;
  }

  #badHistories(): string[] {
    const bad = [...this.#histories].filter(([, history]) => !isLinearizable(history));
    return bad.map(([id, history]) => `No single plant can have the history of ${id}:\n${describe(history)}`);
  }

  #differences(plants: ReadonlyMap<string, string>): string[] {
    const { names } = this.#mirror;
    const ids = [...this.#histories.keys()].filter((id) => plants.get(id) !== names.get(id));
    return ids.map((id) => `The plant ${id} is ${plants.get(id)}, and by the feed it is ${names.get(id)}`);
  }

  #query(text: string): Promise<object[]> {
    return queryOnce((this.nodes[0] as TestService).environment.DATABASE_URL ?? "", text);
  }

  #anyNode(): TestService {
    return this.nodes[this.#below(this.nodes.length)] as TestService;
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  #count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}

/** The answer as `Operation` has it; undefined if none came, and "refused" if it was not carried out. */
async function request(
  node: TestService,
  kind: Operation["kind"],
  id: string,
  name: string | undefined,
  token: string,
): Promise<string | undefined> {
  try {
    if (kind === "update" || kind === "drop") return await bulkAnswer(node, kind, id, name, token);
    const path = kind === "create" ? "/v1/plants" : `/v1/plants/${id}`;
    const method = { create: "POST", change: "PATCH", put: "PUT", remove: "DELETE", read: "GET" }[kind];
    const body = kind === "create" ? `{"id":${id},"name":"${name}"}` : name && JSON.stringify({ name });
    return meaning(kind, await sent(node, method, path, token, { body }));
  } catch (error) {
    return (error as { code?: string }).code === "ECONNREFUSED" ? "refused" : undefined;
  }
}

/** The outcome of the one record whose id is not always missing. */
async function bulkAnswer(
  node: TestService,
  kind: "update" | "drop",
  id: string,
  name: string | undefined,
  token: string,
): Promise<string | undefined> {
  const path = `/v1/plants/${kind === "update" ? "import?existing=update" : "remove"}`;
  const beside = Array.from({ length: RECORDS_BESIDE }, (_, at) => ({ id: 1_000_000 + at, tag: "x" }));
  const lines = [`{"id":${id}${name ? `,"name":"${name}"` : ""}}`, ...beside.map((record) => JSON.stringify(record))];
  const headers = { "Content-Type": "application/x-ndjson" };
  const { status, body } = await sent(node, "POST", path, token, { body: lines.join("\n"), headers });
  if (status >= 500) return undefined;
  // Too many large bodies were under way: nothing was read.
  if (status === 429) return "refused";
  if (status !== 200) return `${status} ${body}`;
  const { created, updated, unchanged, removed } = JSON.parse(body) as Record<string, number>;
  if (kind === "drop") return removed ? "removed" : "missing";
  return created ? "created" : updated ? "changed" : unchanged ? "unchanged" : body;
}

function meaning(kind: Operation["kind"], { status, headers, body }: Answer): string | undefined {
  if (status >= 500) return undefined;
  if (status === 404) return "absent";
  if (status === 409 && kind === "create") return "taken";
  if (status === 204 && kind === "remove") return "removed";
  if (status === 201 && kind === "put") return "created";
  if (status !== 200) return `${status} ${body}`;
  if (kind === "read") return `read ${JSON.parse(body).name}`;
  if (kind === "change") return "changed";
  if (headers.has("Idempotent-Replayed")) return "unchanged";
  return kind === "put" ? "changed" : "created";
}

async function sent(
  node: TestService,
  method: string,
  path: string,
  token: string,
  given: ApiRequest = {},
  waitMsMax = ANSWER_MS_MAX,
): Promise<Answer> {
  const init = requestInit(method, { as: token, ...given, signal: AbortSignal.timeout(waitMsMax) });
  // On a connection that was used before, fetch itself repeats a request that had no answer.
  const answer = await fetch(node.url + path, { ...init, keepalive: false });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
