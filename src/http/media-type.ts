import { shortened } from "#contract/found-value.ts";
import { Failure } from "#core/failure.ts";

const CHARSET = /;\s*charset\s*=\s*"?\s*([^\s";]*)/i;

const TYPE_DEFAULT = "application/json";

const FORM_TYPE = "application/x-www-form-urlencoded";

/**
 * The media type of a request's body (RFC 9110, 8.3.1); throws if it is not one of `accepted`, or if the body has a
 * content coding. A body without a type counts as JSON. A charset other than UTF-8 is refused, under any of its names (WHATWG
 * Encoding Standard); other parameters have no meaning for these types.
 */
export function mediaType<Accepted extends string>(
  request: Request,
  accepted: readonly [Accepted, ...Accepted[]],
): Accepted {
  const coding = request.headers.get("content-encoding");
  if (coding && coding.toLowerCase() !== "identity") {
    const message = `The body must be sent plain, and its Content-Encoding is ${shortened(coding)}`;
    // RFC 9110, 8.4.
    throw new Failure("media-type-unsupported", message, { headers: { "Accept-Encoding": "identity" } });
  }
  const header = request.headers.get("content-type") || TYPE_DEFAULT;
  if (header === accepted[0]) return accepted[0];
  const [type = ""] = header.split(";", 1);
  const found = accepted.find((name) => name === type.trim().toLowerCase());
  const charset = CHARSET.exec(header)?.[1] ?? "utf-8";
  if (found && isUtf8(charset)) return found;
  const remark = type.trim().toLowerCase() === FORM_TYPE ? formRemark(accepted) : "";
  throw new Failure("media-type-unsupported", `The Content-Type must be ${accepted.join(" or ")} in UTF-8${remark}`);
}

/** The remark names JSON where it is accepted, and the bulk types where it is not. */
function formRemark(accepted: readonly string[]): string {
  const right = accepted.find((type) => type === TYPE_DEFAULT) ?? accepted.join(" or ");
  return `; \`curl -d\` sends ${FORM_TYPE} unless you add -H 'Content-Type: ${right}'`;
}

function isUtf8(label: string): boolean {
  try {
    return new TextDecoder(label as Bun.Encoding).encoding === "utf-8";
  } catch {
    return false;
  }
}
