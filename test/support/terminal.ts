/** A program on its own pseudo-terminal of 100 columns. */
export interface TestTerminal {
  readonly process: Bun.Subprocess;
  /** Everything shown so far, with control sequences. */
  screen(): string;
  /** The text shown since the last `type`. */
  shown(): string;
  type(keys: string): void;
  /** Waits until this is shown after the last `type`. */
  shows(what: string | RegExp): Promise<void>;
  close(): void;
}

const SHOWS_MS_MAX = 60_000;

export function openTerminal(command: string[], options: { cwd: string; env: Record<string, string> }): TestTerminal {
  const decoder = new TextDecoder();
  let shown = "";
  let counted = 0;
  const process = Bun.spawn(command, {
    ...options,
    env: { TERM: "xterm", ...options.env },
    terminal: {
      cols: 100,
      rows: 40,
      data(_terminal, bytes) {
        shown += decoder.decode(bytes, { stream: true });
      },
    },
  });
  return {
    process,
    screen: () => shown,
    shown: () => shown.slice(counted),
    type(keys) {
      counted = shown.length;
      process.terminal?.write(keys);
    },
    async shows(what) {
      const deadline = Date.now() + SHOWS_MS_MAX;
      while (Date.now() < deadline) {
        const since = shown.slice(counted);
        if (typeof what === "string" ? since.includes(what) : what.test(since)) return;
        await Bun.sleep(10);
      }
      throw new Error(`${what} was not shown, but ${JSON.stringify(shown.slice(counted))}`);
    },
    close: () => process.terminal?.close(),
  };
}
