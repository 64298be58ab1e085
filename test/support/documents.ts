import { ROOT } from "./service.ts";

const FOLDERS = ["*.md", "docs/**/*.md", "deploy/*.md", "bench/*.md", "bench/*/*.md", "clients/*/*.md", "src/**/*.md"];

/** Every document of the project, by its path from the root. */
export const DOCUMENTS = FOLDERS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]);
