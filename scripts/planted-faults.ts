import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A small fault, as a change may bring it in: `before` stands in the file exactly once. */
export interface Fault {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** The files of tests of which one must fail. */
  readonly tests: readonly string[];
}

/** Reads planted-faults.txt: a line with a file, and with those of its tests unless they stand beside it; two lines for each fault. */
export function plantedFaults(): Fault[] {
  const text = readFileSync(join(import.meta.dir, "planted-faults.txt"), "utf8");
  const faults: Fault[] = [];
  let [path = "", tests, before]: [string?, string[]?, string?] = [];
  for (const line of text.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
    if (line.startsWith("- ")) before = line.slice(2);
    else if (line.startsWith("+"))
      faults.push({ path, before: before ?? "", after: line.slice(2), tests: tests ?? [] });
    else {
      const [file = "", ...named] = line.split(" ");
      path = file;
      tests = named.length > 0 ? named : [file.replace(/\.(tsx?)$/, ".test.$1")];
    }
  }
  return faults;
}
