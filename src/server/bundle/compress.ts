import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip, constants as zlib } from "node:zlib";

export interface Output {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Writes a file as `.br` (RFC 7932) and as `.gz` (RFC 1952): compressed once, before any request, at full strength. */
export async function writeCompressed(folder: string, { name, bytes }: Output): Promise<void> {
  const path = join(folder, name);
  const params = {
    [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY,
    [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await Promise.all([
    brotli(bytes, { params }).then((compressed) => Bun.write(`${path}.br`, compressed)),
    deflate(bytes, { level: zlib.Z_BEST_COMPRESSION }).then((compressed) => Bun.write(`${path}.gz`, compressed)),
  ]);
}
