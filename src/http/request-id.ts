const process = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
let count = 0;

/** Unique among all requests of all nodes, short enough to read out, cheap enough for every request. */
export function newRequestId(): string {
  return `req_${process}${(++count).toString(36).padStart(6, "0")}`;
}
