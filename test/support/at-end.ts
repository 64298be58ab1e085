type Act = () => unknown;

const acts: Act[] = [];

/**
 * Registers what ends or removes something that tests have made. It runs after the last test of a process or, where files
 * run side by side, of a file (`end-of-tests.ts`); in a script that runs no tests, when it exits.
 */
export function atEnd(act: Act): void {
  acts.push(act);
}

/** The last one first, since it may rely on those before it. */
export async function runAtEnd(): Promise<void> {
  for (const act of acts.splice(0).reverse()) await act();
}

process.on("exit", () => void runAtEnd());
