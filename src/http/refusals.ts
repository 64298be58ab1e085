import { VERSION } from "#contract/v1/version.ts";
import { VERSION_FORM, VERSION_SEGMENTS } from "#contract/version.ts";
import { Failure, markReported, unavailable } from "#core/failure.ts";

const CLOSE = { Connection: "close" };

export function malformedHost(): Failure {
  return new Failure("address-malformed", "The request must have exactly one valid Host (RFC 9112, 3.2)", {
    headers: CLOSE,
  });
}

export function methodUnknown(): Failure {
  return new Failure("method-unknown", "There is no such method; methods are written in capitals (RFC 9110, 9.1)", {
    headers: CLOSE,
  });
}

/** It is no fault, and the log says that the service stops. */
export function draining(): Failure {
  const failure = unavailable("The service is shutting down; try again");
  const refusal = new Failure(failure.code, failure.message, { headers: { ...failure.detail.headers, ...CLOSE } });
  markReported(refusal);
  return refusal;
}

export function addressUnknown(): Failure {
  return new Failure("address-unknown", "There is no such address; /docs describes those that are");
}

/** The refusal of an unknown address that names a version, or lacks one. */
export function apiAddressUnknown(path: string): Failure {
  const [, first = ""] = path.split("/", 2);
  if (!VERSION_FORM.test(first) || SEGMENTS.has(first)) return addressUnknown();
  return new Failure("version-unknown", `There is no version ${first}; the versions are ${VERSIONS}`);
}

const SEGMENTS: ReadonlySet<string> = new Set(VERSION_SEGMENTS);
const [CANONICAL, , ...OTHERS] = VERSION_SEGMENTS;
const VERSIONS = `${CANONICAL} (${VERSION}), also written ${new Intl.ListFormat("en-GB").format(OTHERS)}`;

/** `Allow` names the methods of the address (RFC 9110, 15.5.6). */
export function methodNotAllowed(method: string, allowed: readonly string[]): Failure {
  const Allow = allowed.join(", ");
  const message = `${method} is not allowed here; ${Allow} ${allowed.length === 1 ? "is" : "are"}`;
  return new Failure("method-not-allowed", message, { headers: { Allow } });
}
