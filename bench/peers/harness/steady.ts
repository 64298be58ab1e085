/** A steady load of creates by this program, which remembers each create with its answer. */
import type { Service } from "./service.ts";

const clients = 64;

interface Create {
  id: string;
  ok: boolean;
}

export class SteadyLoad {
  private readonly creates: Create[] = [];
  private going = true;
  private readonly clients: Promise<unknown>;

  constructor(
    private readonly service: Service,
    private next: number,
  ) {
    this.clients = Promise.all(Array.from({ length: clients }, () => this.client()));
  }

  /** Ends when every create that was sent is answered. */
  async stop(): Promise<void> {
    this.going = false;
    await this.clients;
  }

  /** The number of creates that were answered with success, and of those of them that have no row. */
  compared(stored: ReadonlySet<string>): { answered: number; lost: number } {
    const answered = this.creates.filter(({ ok }) => ok);
    return { answered: answered.length, lost: answered.filter(({ id }) => !stored.has(id)).length };
  }

  private async client(): Promise<void> {
    while (this.going) {
      const id = String(this.next++);
      const body = this.service.peer.body({ id, name: `plant ${id}`, tag: "tree" });
      const answer = await this.service.create(body).catch(() => undefined);
      // The status has arrived, which is a promise even if the body has not.
      await answer?.arrayBuffer().catch(() => undefined);
      this.creates.push({ id, ok: answer?.ok ?? false });
    }
  }
}
