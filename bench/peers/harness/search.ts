/** Times searches for a part of a name among a million plants, through the system's own filter. */
import type { Answer, Search } from "#peer/peer.ts";
import { type PartKind, pageLength, plantsInCatalogue, searchedParts } from "./catalogue.ts";
import { residentMiB } from "./consumption.ts";
import type { Measured, SearchSample } from "./results.ts";
import type { Service } from "./service.ts";
import { median } from "./statistics.ts";
import { settledRows } from "./store.ts";

const warmUps = 3;
const requests = 100;
const partSecondsMax = 15;
const answersMax = 100;
const indexSecondsMax = 150;

export async function fillAndSearch(service: Service): Promise<Omit<SearchSample, keyof Measured>> {
  const { peer, place, access } = service;
  const { search } = peer;
  if (!search) throw new Error(`${peer.title} has no search`);
  const begin = performance.now();
  await search.fill(place, access);
  const rows = await settledRows(place);
  if (rows !== plantsInCatalogue) throw new Error(`its table has ${rows} plants instead of ${plantsInCatalogue}`);
  const fillSeconds = (performance.now() - begin) / 1000;
  await untilIndexed(service, search);
  const indexSeconds = (performance.now() - begin) / 1000 - fillSeconds;
  // The system starts again, so that its memory is that of searching and not that of filling.
  await service.stop();
  await service.startAgain();
  const idleMiB = residentMiB(service.roots);
  const parts = {
    common: await timed(service, search, "common"),
    rare: await timed(service, search, "rare"),
    absent: await timed(service, search, "absent"),
  };
  return { fillSeconds, indexSeconds, parts, idleMiB, searchedMiB: residentMiB(service.roots) };
}

async function untilIndexed({ place }: Service, search: Search): Promise<void> {
  if (!search.indexed) return;
  for (const until = Date.now() + indexSecondsMax * 1000; !(await search.indexed(place)); await Bun.sleep(500)) {
    if (Date.now() > until) throw new Error(`its index was not ready after ${indexSecondsMax} s`);
  }
}

async function timed(service: Service, search: Search, kind: PartKind): Promise<SearchSample["parts"][PartKind]> {
  for (let count = 0; count < warmUps; count++) check(await ask(service, search, kind), kind);
  const times: number[] = [];
  let answers = 0;
  const until = performance.now() + partSecondsMax * 1000;
  while (times.length < requests && performance.now() < until) {
    const begin = performance.now();
    const found = await ask(service, search, kind);
    times.push(performance.now() - begin);
    answers = Math.max(answers, found.answers);
    check(found, kind);
  }
  return { requests: times.length, p50: median(times), worst: Math.max(...times), answers };
}

interface Found {
  names: string[];
  answers: number;
}

/** Asks for a page. If a system answers with fewer plants than a page has, the pages that follow are added to it. */
async function ask(service: Service, search: Search, kind: PartKind): Promise<Found> {
  const names: string[] = [];
  let next: string | undefined = "";
  let answers = 0;
  for (; next !== undefined && names.length < pageLength && answers < answersMax; answers++) {
    const answer = await page(service, search.path(searchedParts[kind].part) + next);
    names.push(...search.plants(answer).map(({ name }) => name));
    next = search.next?.(answer);
  }
  return { names: names.slice(0, pageLength), answers };
}

async function page(service: Service, path: string): Promise<Answer> {
  const answer = await service.read(path);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`it answered ${answer.status} to ${path}: ${text.slice(0, 200)}`);
  return JSON.parse(text);
}

/** Throws unless there are as many different plants as there must be, each with the part in its name. */
function check({ names }: Found, kind: PartKind): void {
  const { part, plants } = searchedParts[kind];
  const matching = new Set(names.filter((name) => name.includes(part))).size;
  const expected = Math.min(plants, pageLength);
  if (names.length !== expected || matching !== expected) {
    throw new Error(`its page for "${part}" has ${names.length} plants, ${matching} of them match; ${expected} must`);
  }
}
