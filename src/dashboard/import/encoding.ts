import { UnreadableFile } from "./row.ts";

/** The encodings that a reader can choose, by their labels of the WHATWG Encoding Standard. */
export const ENCODINGS = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16",
  "utf-16be": "UTF-16 (big-endian)",
  "windows-1252": "Windows-1252 (Western European)",
  "windows-1250": "Windows-1250 (Central European)",
  "windows-1251": "Windows-1251 (Cyrillic)",
  "windows-1254": "Windows-1254 (Turkish)",
  macintosh: "Mac Roman",
  shift_jis: "Shift_JIS (Japanese)",
  "euc-kr": "EUC-KR (Korean)",
  gb18030: "GB18030 (Simplified Chinese)",
  big5: "Big5 (Traditional Chinese)",
} as const;

export type Encoding = keyof typeof ENCODINGS;

export interface FoundEncoding {
  readonly encoding: Encoding;
  /** True if nothing in the file tells it, and its reader must look at the letters. */
  readonly isGuessed: boolean;
}

/** The encoding by the file's mark, or UTF-8 if the whole file is that. */
export async function encodingOf(file: File): Promise<FoundEncoding> {
  const start = await bytesOf(file, 0, 64 * 1024);
  if (start[0] === 0xff && start[1] === 0xfe) return { encoding: "utf-16le", isGuessed: false };
  if (start[0] === 0xfe && start[1] === 0xff) return { encoding: "utf-16be", isGuessed: false };
  if (start.includes(0)) throw new UnreadableFile("This file is not text. Choose a CSV, Excel (.xlsx) or NDJSON file.");
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of chunksOf(file)) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return { encoding: "utf-8", isGuessed: false };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    return { encoding: "windows-1252", isGuessed: true };
  }
}

/** The text of the file in parts, without its mark. */
export async function* textOf(file: File, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunksOf(file)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

export async function bytesOf(file: File, start: number, end: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(start, end).arrayBuffer().catch(refuseChanged));
}

/** Rejects if the file has changed on disk, or went, since it was chosen. */
async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(refuseChanged);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function refuseChanged(): never {
  throw new UnreadableFile("The file has changed: choose it again.");
}
