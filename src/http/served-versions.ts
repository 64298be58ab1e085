import { EXPOSED_HEADERS } from "#contract/headers.ts";
import { type InterfaceVersion, successorOf, VERSION_SHAPE, versionHeaders, versionPrefix } from "#contract/version.ts";
import { Failure } from "#core/failure.ts";
import { addressUnknown } from "./refusals.ts";

export type ServedVersion = ReturnType<typeof servedVersion>;

/** A version of the interface with the headers of its answers, which are made once. */
function servedVersion(version: InterfaceVersion, versions: readonly InterfaceVersion[]) {
  const sameOriginHeaders = { ...versionHeaders(version, versions), "X-Content-Type-Options": "nosniff" };
  const headers: Readonly<Record<string, string>> = Object.freeze({
    ...sameOriginHeaders,
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED_HEADERS.join(", "),
  });
  const type = { "Content-Type": "application/json" };
  return {
    ...version,
    headers,
    /** The first segments of its addresses, as in "plants". */
    resources: new Set(Object.values(version.shape.operations).map(({ address }) => address.split("/")[1] ?? "")),
    /**
     * For JSON answers to POST, without and with the headers for pages of other origins (CORS). They are copied for each
     * answer, since reading an object with as many headers costs three times as much.
     */
    postHeaders: new Headers({ ...type, ...sameOriginHeaders }),
    crossOriginPostHeaders: new Headers({ ...type, ...headers }),
    /** Throws "version-ended" from the version's sunset on. */
    refuseIfEnded(): void {
      const { sunsetAt } = version;
      if (sunsetAt === undefined || Date.now() < sunsetAt) return;
      const successor = successorOf(version, versions);
      const advice = successor ? `use ${described(successor)}` : "there is no version after it";
      throw new Failure("version-ended", `Version ${version.version} has ended; ${advice}`);
    },
  };
}

/** The versions that a service serves, found by the address of a request. */
export class ServedVersions {
  readonly all: readonly ServedVersion[];
  /** By the first segment of an address. */
  readonly #bySegment = new Map<string, ServedVersion>();

  constructor(versions: readonly InterfaceVersion[]) {
    this.all = versions.map((version) => servedVersion(version, versions));
    for (const served of this.all)
      for (const segment of served.segments)
        for (const first of segment === "" ? served.resources : [segment]) this.#bySegment.set(first, served);
  }

  /** The version used for addresses without one, such as `/healthz`. */
  get newest(): ServedVersion {
    const newest = this.all.at(-1);
    if (!newest) throw new RangeError("There must be a version");
    return newest;
  }

  /** The version in the first segment of a path, or the version of a resource named alone; otherwise the newest. */
  ofPath(path: string): ServedVersion {
    const [, first = ""] = path.split("/", 2);
    return this.#bySegment.get(first) ?? this.newest;
  }

  /** The refusal of an address that no route serves. */
  addressUnknown(path: string): Failure {
    const [, first = ""] = path.split("/", 2);
    if (VERSION_SHAPE.test(first) && !this.#bySegment.has(first)) {
      const existing = this.all.map(described).join("; ");
      return new Failure("version-unknown", `There is no version ${first}; the versions are ${existing}`);
    }
    return addressUnknown();
  }
}

const ENUMERATION = new Intl.ListFormat("en-GB");

/** As in "v1 (1.0.0), also written 1, 1.0 and v1.0". */
function described({ version, segments: [canonical, ...others] }: InterfaceVersion): string {
  const further = others.filter((segment) => segment !== "");
  const spellings = further.length === 0 ? "" : `, also written ${ENUMERATION.format(further)}`;
  return `${versionPrefix(canonical).slice(1)} (${version})${spellings}`;
}
