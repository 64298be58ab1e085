import { type EndedRequest, type RequestSink, ROUTES, type Route } from "#core/request.ts";
import { Counter, Histogram, SECONDS_BOUNDS, type Series } from "./figures.ts";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** The methods of each route, whose successes and failures begin at 0. */
const METHODS_OF: Readonly<Record<Route, readonly string[]>> = {
  create: ["POST"],
  bulk: ["POST"],
  read: ["GET"],
  list: ["GET"],
  search: ["GET"],
  change: ["PATCH"],
  remove: ["DELETE"],
  export: ["GET"],
  events: ["GET", "POST"],
  webhooks: ["GET", "POST", "PATCH", "DELETE"],
  dashboard: ["GET", "POST", "PATCH", "DELETE"],
  auth: ["GET", "POST"],
  other: ["GET"],
};
const KNOWN = ROUTES.flatMap((route) =>
  METHODS_OF[route].flatMap((method) => [
    { route, method, status_class: "2xx", error: "" },
    { route, method, status_class: "5xx", error: "50001" },
    { route, method, status_class: "5xx", error: "50301" },
  ]),
);

/** Counts requests. A successful create, the most frequent request, costs two additions and a look at its histogram. */
export class RequestMetrics implements RequestSink {
  readonly #seconds = Object.fromEntries(ROUTES.map((route) => [route, new Histogram(SECONDS_BOUNDS)])) as Record<
    Route,
    Histogram
  >;
  readonly #requests = new Counter("plantstore_requests_total", KNOWN);
  readonly #creates = Counter.ofOutcomes("plantstore_creates_total", "created", "unchanged", "taken");
  readonly #created = this.#creates.of({ outcome: "created" });
  readonly #answeredCreates = this.#requests.of({ route: "create", method: "POST", status_class: "2xx", error: "" });
  #createdPlants = 0;

  requestEnded(request: EndedRequest): void {
    const { route, outcome, errorNumber } = request;
    this.#seconds[route].observe(request.durationMs / 1000);
    if (outcome === "created") {
      this.#created.value++;
      this.#createdPlants++;
      this.#answeredCreates.value++;
      return;
    }
    this.#createdPlants += request.created;
    if (outcome !== undefined) this.#creates.add({ outcome });
    const method = METHODS.has(request.method) ? request.method : "other";
    const status_class = `${Math.floor(request.status / 100)}xx`;
    this.#requests.add({ route, method, status_class, error: errorNumber === undefined ? "" : String(errorNumber) });
  }

  *series(): Generator<Series> {
    yield* this.#requests.series();
    for (const route of ROUTES)
      yield { name: "plantstore_request_seconds", labels: { route }, value: this.#seconds[route] };
    yield* this.#creates.series();
    yield { name: "plantstore_created_plants_total", value: this.#createdPlants };
  }
}
