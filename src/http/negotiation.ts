import { BULK_TYPES } from "#contract/bulk-type.ts";
import { Failure } from "#core/failure.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";

/** Browsers send a tenth of it. */
const ACCEPT = THREAD_TIME.row("characters of Accept", "request", { each: 1000 }, "it counts as `*/*`");
const ACCEPT_ENCODING = THREAD_TIME.row("characters of Accept-Encoding", "request", { each: 500 }, "it counts as none");

/** The media types of a list of plants. The first one is sent unless `Accept` prefers another. */
export const LIST_TYPES = ["application/json", ...BULK_TYPES] as const;

/**
 * Chooses from `offered` by `Accept` as in RFC 9110, 12.5.1. A missing or empty `Accept` allows all, and so does one that
 * is too long. Throws "not-acceptable".
 */
export function chooseRepresentation<Type extends string>(
  accept: string | null | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  if (!accept?.trim() || accept.length > ACCEPT.each) return offered[0];
  const named = offered.map((type) => [type, type.replace(/\/.*/, "/*"), "*/*"]);
  const rated = ratedBy(accept, named).map((rating, at) => ({ type: offered[at] as Type, ...rating }));
  const [first] = rated
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || a.generality - b.generality || a.place - b.place);
  if (first) return first.type;
  throw new Failure("not-acceptable", `"Accept" allows none of the types that are offered: ${offered.join(", ")}`, {
    headers: { Vary: "Accept" },
  });
}

/** RFC 9110, 12.5.3. A header that is missing, or too long, accepts none. */
export function acceptsEncoding(header: string | null | undefined, encoding: "br" | "gzip"): boolean {
  if (!header || header.length > ACCEPT_ENCODING.each) return false;
  return ratedBy(header, [[encoding, "*"]]).some(({ quality }) => quality > 0);
}

/** Brotli before gzip, if the client accepts it. */
export function preferredEncoding(header: string | null): "br" | "gzip" | "identity" {
  return acceptsEncoding(header, "br") ? "br" : acceptsEncoding(header, "gzip") ? "gzip" : "identity";
}

/**
 * How a header of preferences rates things, of each of which the names are given, which become more general: by the first
 * element that has the most specific name. The header is read once, and only elements with these names further than
 * their name: the library `negotiator` takes up to 1,360 µs for an `Accept` of 1,000 characters, and this 67.
 */
function ratedBy(header: string, things: readonly (readonly string[])[]): Rating[] {
  const first = new Map<string, Pick<Rating, "quality" | "place">>();
  const wanted = new Set(things.flat());
  let place = 0;
  for (const element of header.toLowerCase().split(",")) {
    const end = element.indexOf(";");
    const name = (end < 0 ? element : element.slice(0, end)).trim();
    const quality = wanted.has(name) && !first.has(name) ? qualityOf(element, end) : undefined;
    if (quality !== undefined) first.set(name, { quality, place });
    place++;
  }
  return things.map((names) => {
    const generality = names.findIndex((name) => first.has(name));
    return { generality, ...(first.get(names[generality] ?? "") ?? { quality: 0, place }) };
  });
}

interface Rating {
  readonly quality: number;
  /** The index of the element in the header. */
  readonly place: number;
  /** The index of the matched name, the most specific first; -1 if no element matches. */
  readonly generality: number;
}

/**
 * The quality of an element whose parameters begin there, if it has any. Undefined if it asks for a CSV without
 * its header. Further parameters are passed over: some clients name a charset, a version or a profile.
 */
function qualityOf(element: string, parametersAt: number): number | undefined {
  let quality = 1;
  for (let at = parametersAt; at >= 0; ) {
    const next = element.indexOf(";", at + 1);
    const parameter = element.slice(at + 1, next < 0 ? undefined : next).trim();
    at = next;
    if (parameter === "") continue;
    if (/^q\s*=/.test(parameter)) quality = Number.parseFloat(parameter.slice(parameter.indexOf("=") + 1));
    else if (/^header\s*=/.test(parameter) && !/=\s*"?present"?$/.test(parameter)) return undefined;
  }
  return quality;
}
