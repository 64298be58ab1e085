import { SHAPE_1, type Shape } from "./v1/shape.ts";
import { VERSION } from "./v1/version.ts";

/** The first path segments that mean version 1.0.0, the canonical one first; "" is the address without one. */
export const VERSION_SEGMENTS = ["v1", "", "1", "1.0", "1.0.0", "v1.0", "v1.0.0"] as const;

/** The form of a version segment: an unknown one is refused as an unknown version, not as an unknown address. */
export const VERSION_FORM = /^v?\d+(?:\.\d+)*$/;

export function versionPrefix(segment: string): string {
  return segment === "" ? "" : `/${segment}`;
}

/** The shape of the version that a webhook endpoint names; undefined if this program does not know the version. */
export function shapeOf(version: string): Shape | undefined {
  return version === VERSION ? SHAPE_1 : undefined;
}
