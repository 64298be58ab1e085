import { SHAPE_1, type Shape } from "./v1/shape.ts";
import { VERSION } from "./v1/version.ts";

/** A version of the interface. Times are milliseconds since 1970-01-01T00:00:00Z. */
export interface InterfaceVersion {
  readonly version: string;
  /** The first path segments that mean this version, the canonical one first; "" is the address without one. */
  readonly segments: readonly [string, ...string[]];
  /** Reads its requests and renders its answers. Versions that differ only in additions share one. */
  readonly shape: Shape;
  /** The time at which the end of the version was announced (RFC 9745). */
  readonly deprecatedAt?: number;
  /** The time at which the version ends (RFC 8594): from then on its addresses answer 410. */
  readonly sunsetAt?: number;
}

/**
 * Every version of the interface, oldest first. Routes, OpenAPI documents and the headers of answers are made from this
 * table. An address without a version means 1.0.0 as long as that is served.
 */
export const VERSIONS: readonly InterfaceVersion[] = [
  { version: VERSION, segments: ["v1", "", "1", "1.0", "1.0.0", "v1.0", "v1.0.0"], shape: SHAPE_1 },
];

/** The minimum time between the deprecation of a version and its end. */
export const SUNSET_NOTICE_MONTHS = 18;

/** The shape of the version with that number; undefined if this program does not know the version. */
export function shapeOf(version: string, versions: readonly InterfaceVersion[] = VERSIONS): Shape | undefined {
  return versions.find((each) => each.version === version)?.shape;
}

/** The form of a version segment: an unknown one is refused as an unknown version, not as an unknown address. */
export const VERSION_SHAPE = /^v?\d+(?:\.\d+)*$/;

export function versionPrefix(segment: string): string {
  return segment === "" ? "" : `/${segment}`;
}

export function successorOf(
  version: InterfaceVersion,
  versions: readonly InterfaceVersion[],
): InterfaceVersion | undefined {
  return versions[versions.indexOf(version) + 1];
}

/** The headers that say which version an answer has and when it ends. */
export function versionHeaders(
  version: InterfaceVersion,
  versions: readonly InterfaceVersion[],
): Record<string, string> {
  const { deprecatedAt, sunsetAt } = version;
  const links = [
    ...(deprecatedAt === undefined ? [] : [`</docs/versions#${version.version}>; rel="deprecation"`]),
    ...(sunsetAt === undefined ? [] : [`</docs/versions#${version.version}>; rel="sunset"`]),
  ];
  const successor = successorOf(version, versions);
  if (links.length > 0 && successor) {
    links.push(`<${versionPrefix(successor.segments[0])}/openapi.json>; rel="successor-version"`);
  }
  return {
    "Plantstore-Version": version.version,
    ...(deprecatedAt === undefined ? {} : { Deprecation: `@${Math.floor(deprecatedAt / 1000)}` }),
    ...(sunsetAt === undefined ? {} : { Sunset: new Date(sunsetAt).toUTCString() }),
    ...(links.length === 0 ? {} : { Link: links.join(", ") }),
  };
}
