import { type ApiCaller, WATCHED_FRESH_MS } from "#core/caller.ts";
import type { Failure } from "#core/failure.ts";
import type { BodyChunks } from "./body-chunks.ts";
import { draining } from "./refusals.ts";
import type { ServiceParts } from "./service-parts.ts";
import { placeNeeded, SILENCE_MS_MAX, stalled } from "./unfinished-bodies.ts";

/**
 * The part of the 8 s of a stop in which imports may continue. The stop is noticed up to a second late, and answering
 * may take three more seconds.
 */
const DRAINING_MS_MAX = 2500;

/**
 * Ends an import when its caller may go on no more, its sender is silent, or the service stops and
 * cannot wait any longer, or when another account needs its place.
 */
export class ImportWatch {
  readonly #timer: Timer;
  #drainingSince: number | undefined;
  #end: { readonly failure: Failure; readonly reason: string } | undefined;

  constructor(
    private readonly service: Pick<ServiceParts, "draining">,
    private readonly caller: ApiCaller,
    private readonly body: BodyChunks,
  ) {
    // An interruption may meet a write, which it waits for: so it ends within a second of its token.
    this.#timer = setInterval(() => void this.#look(), 100);
  }

  /** The reason for the sender why the import had to end; undefined while it may continue. */
  get reason(): string | undefined {
    return this.#end?.reason;
  }

  /** Called before each transaction; throws if the import has ended. */
  requireGoingOn(): void {
    if (this.#end) throw this.#end.failure;
  }

  /** Returns true if it ends at once, since it was waiting for its sender. */
  evict(): boolean {
    this.#endWith(placeNeeded(), "another account needed its place");
    return this.body.silentMs(performance.now()) > 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const now = performance.now();
    if (this.service.draining) this.#drainingSince ??= now;
    if (this.#drainingSince !== undefined && now - this.#drainingSince > DRAINING_MS_MAX) {
      this.#endWith(draining(), "the service is shutting down");
    }
    if (this.body.silentMs(now) > SILENCE_MS_MAX) this.#endWith(stalled(), "nothing more of it came for a minute");
    try {
      if (!(await this.caller.stillMay(WATCHED_FRESH_MS))) this.#endWith(this.caller.refusal(), endOf(this.caller));
    } catch {
      // If the database is out of reach, the next transaction fails by itself.
    }
  }

  #endWith(failure: Failure, reason: string): void {
    this.#end ??= { failure, reason };
    this.body.interrupt(this.#end.failure);
  }
}

/** The reason why a caller may go on no more, in words that follow "since". */
export function endOf({ person }: ApiCaller): string {
  if (person === undefined) return "its token was revoked, or its account removed or suspended";
  return "the session, or what it allows in this store, has ended";
}
