export function saveFile(content: BlobPart, name: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // The browser reads it in its own time; a minute is more than enough.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
