import { Failure } from "#core/failure.ts";

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/**
 * The media type of a request's body (RFC 9110, 8.3.1) if it is one of `accepted`, else throws. None given counts as
 * the first of them. A charset other than UTF-8 is refused; other parameters say nothing of these types.
 */
export function mediaType<Accepted extends string>(
  request: Request,
  accepted: readonly [Accepted, ...Accepted[]],
): Accepted {
  const header = request.headers.get("content-type");
  if (!header || header === accepted[0]) return accepted[0];
  const [type = ""] = header.split(";", 1);
  const found = accepted.find((name) => name === type.trim().toLowerCase());
  const charset = CHARSET.exec(header)?.[1] ?? "utf-8";
  if (found && charset.toLowerCase() === "utf-8") return found;
  throw new Failure("media-type-unsupported", `The Content-Type must be ${accepted.join(" or ")} in UTF-8`);
}
