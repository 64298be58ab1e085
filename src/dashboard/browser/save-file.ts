/**
 * The bytes of a stream, in parts that the browser may store on disk. Rejects with the stream's own reason, for which
 * some browsers would say no more than "Failed to fetch" if a Response collected them.
 */
export async function blobOf(bytes: ReadableStream<Uint8Array>): Promise<Blob> {
  const parts: Blob[] = [];
  await bytes.pipeTo(new WritableStream({ write: (part) => void parts.push(new Blob([part.slice()])) }));
  return new Blob(parts);
}

export function saveFile(content: BlobPart, name: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // The browser reads it in its own time; a minute is more than enough.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
