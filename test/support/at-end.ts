type Act = () => unknown;

const acts: Act[] = [];

/**
 * Registers a function that ends or removes something that tests have made. It runs after the last test of a process
 * or, if files run in parallel, of a file (`end-of-tests.ts`); in a script without tests, at its exit.
 */
export function atEnd(act: Act): void {
  acts.push(act);
}

/** In reverse order, since an entry may rely on earlier ones. */
export async function runAtEnd(): Promise<void> {
  for (const act of acts.splice(0).reverse()) await act();
}

process.on("exit", () => void runAtEnd());
