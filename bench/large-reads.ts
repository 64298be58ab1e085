import { encodeCursor } from "#contract/cursor.ts";
import type { BenchServer } from "./bench-server.ts";
import { CATALOGUE, idOf } from "./catalogue.ts";
import { median, timesOf } from "./median.ts";

const REQUESTS = 100;
const EXPORTED_LINES = 100_000;
const NEWLINE = 10;

/** Values by what they are of. */
export type Figures = Map<string, number>;

/** A service over a catalogue, with a token and a session of its first account. */
export interface Filled {
  readonly service: BenchServer;
  readonly token: string;
  readonly cookie: string;
  readonly plants: number;
  readonly accounts: number;
}

/** The median of each kind of request. Each reads somewhere else, as far as its kind allows. */
export async function measureReads({ service, token, cookie, plants, accounts }: Filled, figures: Figures) {
  let slowest = 0;
  const of: Record<string, () => string> = {
    "one plant": () => `/v1/plants/${idOf(anyPlace(), plants)}`,
    "first page": () => "/v1/plants",
    "deep page": () => `/v1/plants?cursor=${encodeCursor("id", idOf(anyPlace(), plants))}`,
    "newest first, deep page": () =>
      `/v1/plants?order=-created_at&cursor=${encodeCursor("-created_at", BigInt(anyPlace()))}`,
    "search, a common part": () => search(CATALOGUE.common),
    "search, a rare part": () => search(CATALOGUE.rare(anyPlace())),
    "search, a part that none has": () => search(CATALOGUE.absent),
    "search, two characters": () => search("mo"),
    "search, newest first, a rare part": () => `${search(CATALOGUE.rare(anyPlace()))}&order=-created_at`,
    "search, newest first, a common part": () => `${search(CATALOGUE.common)}&order=-created_at`,
    "search, several words": () => search(`canina ${CATALOGUE.common}`),
    "search, newest first, several words": () => `${search(`canina ${CATALOGUE.common}`)}&order=-created_at`,
    "search, a prefix": () => search(CATALOGUE.common.slice(0, 4)),
    "search, newest first, a prefix": () => `${search(CATALOGUE.common.slice(0, 4))}&order=-created_at`,
    "a common tag": () => `/v1/plants?tag=${CATALOGUE.commonTag}`,
    "a rare tag": () => `/v1/plants?tag=${CATALOGUE.rareTag}`,
    "a rare tag and a common part": () => `${search(CATALOGUE.common)}&tag=${CATALOGUE.rareTag}`,
    "page of the feed": () => `/v1/events?cursor=${encodeCursor("events", BigInt(anyPlace()))}`,
  };
  for (const [name, path] of Object.entries(of)) await measure(name, path, { Authorization: `Bearer ${token}` });
  await measure("count of all plants", () => "/dashboard/api/overview", { Cookie: cookie });
  await measure("count of matches", () => `/dashboard/api/plants/matches?q=${CATALOGUE.common}`, { Cookie: cookie });
  figures.set("slowest of all these, ms", slowest);

  async function measure(name: string, path: () => string, headers: Record<string, string>): Promise<void> {
    const times = await requestTimes(service, headers, REQUESTS, path);
    figures.set(`${name}, ms`, median(times));
    slowest = Math.max(slowest, ...times);
  }

  /** The place in the catalogue of a plant of the first account. */
  function anyPlace(): number {
    return Math.floor((Math.random() * plants) / accounts);
  }
}

function search(part: string): string {
  return `/v1/plants?q=${encodeURIComponent(part)}`;
}

/** The export ends early, as one does whose reader goes away. */
export async function measureExport({ url }: BenchServer, token: string, figures: Figures): Promise<void> {
  const start = performance.now();
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/v1/plants/export`, { headers });
  let lines = 0;
  for await (const chunk of answer.body ?? []) {
    if (lines === 0) figures.set("export, first byte, ms", performance.now() - start);
    for (const byte of chunk) if (byte === NEWLINE) lines++;
    if (lines >= EXPORTED_LINES) break;
  }
  figures.set(`export, first ${EXPORTED_LINES} lines, ms`, performance.now() - start);
}

/** The times of requests that follow one another, each to the address that `path` gives. */
function requestTimes({ url }: BenchServer, headers: Record<string, string>, requests: number, path: () => string) {
  return timesOf(requests, async () => {
    const address = url + path();
    const answer = await fetch(address, { headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${address} was answered ${answer.status}`);
  });
}
