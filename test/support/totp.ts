import { createHmac } from "node:crypto";

const STEP_MS = 30_000;
/** The code of the step before is taken no longer once the present step is over, so a request with it needs this long. */
const REQUEST_MS = 8000;

/** The six digits of the step before the present one, which does not end within a request. */
export async function earlierTotpCode(uri: string): Promise<string> {
  const leftMs = STEP_MS - (Date.now() % STEP_MS);
  if (leftMs < REQUEST_MS) await Bun.sleep(leftMs);
  return totpCode(uri, -1);
}

/** The six digits that an authenticator app shows (RFC 6238), for the step that is `steps` away from the present one. */
export function totpCode(uri: string, steps = 0): string {
  const key = fromBase32(new URL(uri).searchParams.get("secret") ?? "");
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + steps));
  const hash = createHmac("sha1", key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
