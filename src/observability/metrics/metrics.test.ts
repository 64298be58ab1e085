import { describe, expect, test } from "bun:test";
import { Failure, markReported } from "#core/failure.ts";
import { METRICS } from "#core/metrics.ts";
import { ROUTES, type Route } from "#core/request.ts";
import { endedRequest } from "#test/support/ended-request.ts";
import { ServiceObserver } from "../service-observer.ts";
import { exposition } from "./exposition.ts";
import { Figures, Histogram, ROWS_BOUNDS, SECONDS_BOUNDS, type Series } from "./figures.ts";
import { RequestMetrics } from "./request-metrics.ts";

const ROUTE_NAMES = Object.keys(ROUTES) as Route[];

type Line = [level: string, fields: Record<string, unknown>, message: string];

function observed(): { observer: ServiceObserver; lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push([level, fields, message]);
  const log = { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug"), debugEnabled: false };
  return { observer: new ServiceObserver(log), lines };
}

/** The value of a series by its name and labels, as a scrape sees it. */
function value(series: Iterable<Series>, key: string): number | undefined {
  const line = exposition(series)
    .split("\n")
    .find((text) => text.startsWith(`${key} `));
  return line === undefined ? undefined : Number(line.slice(key.length + 1));
}

test.each([{ bounds: SECONDS_BOUNDS }, { bounds: ROWS_BOUNDS }])(
  "a histogram counts a value on its bound below it (%#)",
  ({ bounds }) => {
    const histogram = new Histogram(bounds);
    for (const bound of bounds) histogram.observe(bound);
    expect([...histogram.counts]).toEqual([...bounds.map(() => 1), 0]);
  },
);

describe("requests", () => {
  const ended = (...requests: Parameters<typeof endedRequest>[0][]) => {
    const figures = new Figures();
    const metrics = new RequestMetrics(figures);
    for (const request of requests) metrics.requestEnded(endedRequest(request));
    return (key: string) => value(figures.series(), key);
  };

  test("of a bulk create count its plants", () => {
    const count = ended({ route: "bulk", outcome: undefined, created: 250 });
    expect([count("plantstore_created_plants_total"), count('plantstore_creates_total{outcome="created"}')]).toEqual([
      250, 0,
    ]);
  });

  test("with methods that a stranger invents make no new series", () => {
    const methods = Array.from({ length: 50 }, (_, index) => ({
      outcome: undefined,
      created: 0,
      method: `X${index}`,
      errorNumber: 50101,
    }));
    const count = ended(...methods);
    expect(count('plantstore_requests_total{route="create",method="other",status_class="5xx",error="50101"}')).toBe(50);
  });

  test("have a time on every route, and no series with a name that is not in the catalogue", () => {
    const figures = new Figures();
    const metrics = new RequestMetrics(figures);
    for (const route of ROUTE_NAMES) metrics.requestEnded(endedRequest({ route, durationMs: 3 }));
    for (const route of ROUTE_NAMES) {
      expect(value(figures.series(), `plantstore_request_seconds_count{route="${route}"}`)).toBe(1);
    }
    for (const { name } of figures.series()) expect(name in METRICS).toBe(true);
  });
});

describe("the observer of the service's parts", () => {
  test("logs a failure with the part that failed, and counts it", () => {
    const { observer, lines } = observed();
    const error = new Error("disk full");
    observer.failed("mail", error);
    observer.jobEnded({ name: "backup", error });
    observer.jobEnded({ name: "backup" });
    expect(lines).toEqual([
      ["warn", { part: "mail", err: error }, "a part of the service failed"],
      ["error", { part: "backup", err: error }, "a part of the service failed"],
    ]);
    const series = () => observer.series();
    expect(value(series(), 'plantstore_failures_total{part="mail"}')).toBe(1);
    expect(value(series(), 'plantstore_jobs_total{job="backup",outcome="failed"}')).toBe(1);
    expect(value(series(), 'plantstore_jobs_total{job="backup",outcome="succeeded"}')).toBe(1);
  });

  test("is ready from a trial that succeeded to the first write that was refused", () => {
    const { observer } = observed();
    const ready = () => value(observer.series(), "plantstore_ready");
    expect(ready()).toBe(0);
    observer.storageWritable(true);
    expect(ready()).toBe(1);
    observer.storageWritable(false);
    expect(ready()).toBe(0);
    // On a full disk a small one fits now and then.
    observer.batchCommitted({ rows: 1, commitMs: 1, startedAt: 0, spans: [] });
    expect(ready()).toBe(0);
  });

  test("says that the database is away and that it is back, and counts failures in between without a line", () => {
    const { observer, lines } = observed();
    observer.databaseAway("connect ECONNREFUSED");
    const failure = new Failure("unavailable", "Try again.", { cause: new Error("connect ECONNREFUSED") });
    markReported(failure.cause);
    observer.jobEnded({ name: "indexer", error: failure });
    observer.storageWritable(true);
    observer.databaseAway(undefined);
    observer.databaseAway("terminated");
    expect(lines.map(([, , message]) => message)).toEqual([
      "The database cannot be used yet, and is tried again: connect ECONNREFUSED",
      "The database can be used again",
      "The database is out of reach, and is tried again: terminated",
    ]);
    expect(value(observer.series(), 'plantstore_failures_total{part="indexer"}')).toBe(1);
  });

  test("counts each sign-in once: those with an entry, those without, and not the entry that sums them up", () => {
    const { observer } = observed();
    const entry = { id: "aud_1", account: 1, at: 0, actor: { kind: "session", id: "", name: "" } } as const;
    observer.audited({ ...entry, action: "sign_in.succeeded" });
    observer.audited({ ...entry, action: "sign_in.failed" });
    observer.audited({ ...entry, action: "sign_in.second_factor_failed" });
    observer.audited({ ...entry, action: "sign_in.failed", detail: { count: 7 } });
    observer.audited({ ...entry, action: "password.changed" });
    observer.count("plantstore_sign_ins_total", { outcome: "refused" });
    expect(value(observer.series(), 'plantstore_sign_ins_total{outcome="accepted"}')).toBe(1);
    expect(value(observer.series(), 'plantstore_sign_ins_total{outcome="refused"}')).toBe(3);
  });

  test("writes a notice once, however often it is given", () => {
    const { observer, lines } = observed();
    for (let time = 0; time < 5; time++) observer.notice("The address has no certificate");
    expect(lines).toEqual([["warn", {}, "The address has no certificate"]]);
  });
});
