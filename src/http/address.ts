import { VERSION_SEGMENTS, VERSION_SHAPE } from "#contract/version.ts";
import { Failure } from "#core/failure.ts";

/** Every address of the plants collection: with each version segment, and without one. */
export const PLANTS_PATHS: ReadonlySet<string> = new Set(
  VERSION_SEGMENTS.map((version) => `${prefix(version)}/plants`),
);

export function prefix(version: string): string {
  return version === "" ? "" : `/${version}`;
}

/** The path of a request's address, as it was sent but for dot segments; undefined if its Host made it malformed. */
export function pathOf(url: string): string | undefined {
  const start = url.indexOf("/", "https://".length);
  if (start < 0 || url.startsWith("/")) return undefined;
  const query = url.indexOf("?", start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

/** The query of a request's address as it was sent, without its question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

/** What the addresses in answers start with: the public address if one is set, else that of the request. */
export function publicOrigin(baseUrl: string | undefined, url: string): string {
  return baseUrl === undefined ? new URL(url).origin : baseUrl.replace(/\/+$/, "");
}

export function addressUnknown(path: string): Failure {
  const [, first = ""] = path.split("/", 2);
  if (VERSION_SHAPE.test(first) && !VERSION_SEGMENTS.some((version) => version === first)) {
    return new Failure("version-unknown", `There is no version ${first}; the versions are ${existing}`);
  }
  return new Failure("address-unknown", "There is no such address; /docs describes those that are");
}

const existing = "v1 (1.0.0), also written 1, 1.0, 1.0.0, v1.0 and v1.0.0";
