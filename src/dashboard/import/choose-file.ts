import type { ImportPage, ImportStep } from "./import-steps.ts";

/** Reads the file. Meanwhile another may be chosen, which then counts alone. */
export async function chooseFile(page: ImportPage, file: File): Promise<void> {
  const reading: ImportStep = { name: "choosing", reading: file };
  page.importStep.set(reading);
  try {
    const parts = await loadParts();
    await parts.beginReview(page, reading, file);
  } catch (cause) {
    if (page.importStep.get() === reading) page.importStep.set({ name: "rejected", file, cause });
  }
}

/** Loaded once a file is there: no other page needs the readers of files. */
export async function loadParts() {
  try {
    return await import("./parts.ts");
  } catch (cause) {
    throw new Error("A part of this page could not be loaded. Reload the page, then choose the file again.", { cause });
  }
}
