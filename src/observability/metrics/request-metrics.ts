import { type EndedRequest, type RequestSink, ROUTES, type Route } from "#core/request.ts";
import type { Figures, Histogram } from "./figures.ts";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Begin at 0, so that a first failure is an increase. */
const KNOWN = Object.entries(ROUTES).flatMap(([route, methods]) =>
  methods.flatMap((method) => [
    { route, method, status_class: "2xx", error: "" },
    { route, method, status_class: "5xx", error: "50001" },
    { route, method, status_class: "5xx", error: "50301" },
  ]),
);

/** Counts requests. A successful create, the most frequent request, costs two additions and a look at its histogram. */
export class RequestMetrics implements RequestSink {
  readonly #seconds: Readonly<Record<Route, Histogram>>;
  readonly #created: { value: number };
  readonly #createdPlants: { value: number };
  readonly #answeredCreates: { value: number };

  constructor(private readonly figures: Figures) {
    for (const labels of KNOWN) figures.counter("plantstore_requests_total", labels);
    const seconds = Object.keys(ROUTES).map((route) => [
      route,
      figures.histogram("plantstore_request_seconds", { route }),
    ]);
    this.#seconds = Object.fromEntries(seconds);
    this.#created = figures.counter("plantstore_creates_total", { outcome: "created" });
    this.#createdPlants = figures.counter("plantstore_created_plants_total");
    const answered = { route: "create", method: "POST", status_class: "2xx", error: "" };
    this.#answeredCreates = figures.counter("plantstore_requests_total", answered);
  }

  requestEnded(request: EndedRequest): void {
    const { route, outcome, errorNumber } = request;
    this.#seconds[route].observe(request.durationMs / 1000);
    if (outcome === "created") {
      this.#created.value++;
      this.#createdPlants.value++;
      this.#answeredCreates.value++;
      return;
    }
    this.#createdPlants.value += request.created;
    if (outcome !== undefined) this.figures.count("plantstore_creates_total", { outcome });
    const method = METHODS.has(request.method) ? request.method : "other";
    const status_class = `${Math.floor(request.status / 100)}xx`;
    const error = errorNumber === undefined ? "" : String(errorNumber);
    this.figures.count("plantstore_requests_total", { route, method, status_class, error });
  }
}
