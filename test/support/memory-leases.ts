import type { LeaseRecords } from "#core/job.ts";

/** Leases among the jobs of one process, for tests and for a store that only one process uses. */
export class MemoryLeases implements LeaseRecords {
  readonly #leases = new Map<string, { readonly holder: string; readonly until: number }>();

  async acquire({ name, holder, durationMs }: Parameters<LeaseRecords["acquire"]>[0]): Promise<boolean> {
    const now = performance.now();
    const lease = this.#leases.get(name);
    if (lease && lease.holder !== holder && lease.until > now) return false;
    this.#leases.set(name, { holder, until: now + durationMs });
    return true;
  }

  async release({ name, holder }: Parameters<LeaseRecords["release"]>[0]): Promise<void> {
    if (this.#leases.get(name)?.holder === holder) this.#leases.delete(name);
  }
}
