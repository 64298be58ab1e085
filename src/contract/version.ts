/** The version of the interface that this service speaks, sent as `Plantstore-Version`. */
export const VERSION = "1.0.0";

/** The first path segments that all mean version 1.0.0; "" is the address without one. */
export const VERSION_SEGMENTS = ["v1", "", "1", "1.0", "1.0.0", "v1.0", "v1.0.0"] as const;

/** What has the shape of a version segment: it is answered 404 as an unknown version, not as an unknown address. */
export const VERSION_SHAPE = /^v?\d+(?:\.\d+)*$/;
