import type { AuditRecord } from "#core/audit.ts";
import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import type { Settings } from "./settings.ts";

/** Reports the audit entries that a command makes, as lines of the log on standard error. */
export class CommandObserver {
  readonly #settings: Settings;
  readonly #records: AuditRecord[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  readonly observer: Observer = { ...NO_OBSERVER, audited: (record) => this.#records.push(record) };

  /** Called at the end of the command. Loading the log takes 80 ms, which is avoided for a command without entries. */
  async write(): Promise<void> {
    if (this.#records.length === 0) return;
    // Lines on a terminal are not shipped anywhere, so the operator sees only the command's own answer.
    if (process.stderr.isTTY && this.#settings.LOG_FORMAT === undefined) return;
    const { createLog } = await import("#observability/log.ts");
    const { logAudited } = await import("#observability/audit-line.ts");
    const { LOG_LEVEL: level, LOG_FORMAT: format, NO_COLOR } = this.#settings;
    const colors = process.stderr.isTTY && NO_COLOR === undefined;
    const log = createLog({ level, format, colors, output: "stderr" });
    for (const record of this.#records.splice(0)) logAudited(log, record);
  }
}
