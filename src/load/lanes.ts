import type { Callee, CallOf, Functions, Result } from "#threads/channel.ts";
import type { CountedAs } from "./counted-as.ts";
import type { FairQueue } from "./fair-queue.ts";

/**
 * The functions of some threads, which subjects call in turn. A call that runs in steps takes a turn for each step, so that
 * others run between its steps, and it holds no lane while nobody asks for the next one. All its steps run on one lane.
 */
export class Lanes<Theirs extends Functions> {
  /** The queue has as many lanes as there are callees; a thread that runs several things at once may stand for several. */
  constructor(
    readonly queue: FairQueue,
    private readonly lanes: readonly Callee<Theirs>[],
  ) {}

  /** Resolves when the call is done; what it yields on the way is dropped. `admitted` is that of `TaskOptions`. */
  async ask<Name extends keyof Theirs & string>(
    subject: CountedAs,
    name: Name,
    argument: Parameters<Theirs[Name]>[0],
    admitted = false,
  ): Promise<Result<Theirs, Name>> {
    const call = this.open(subject, name, argument, admitted);
    for (;;) {
      const { done, value } = await call.next();
      if (done) return value as Result<Theirs, Name>;
    }
  }

  open<Name extends keyof Theirs & string>(
    subject: CountedAs,
    name: Name,
    argument: Parameters<Theirs[Name]>[0],
    admitted = false,
  ): CallOf<Theirs, Name> {
    let lane: number | undefined;
    let call: CallOf<Theirs, Name> | undefined;
    let isLeft = false;
    return {
      next: () =>
        this.queue.run(
          subject,
          async (free) => {
            // A call that was left while it waited must not begin, since nobody would end it.
            if (isLeft) return { done: true, value: undefined as Result<Theirs, Name> };
            lane ??= free;
            call ??= this.#callee(lane).open(name, argument);
            return call.next();
          },
          { lane, admitted: admitted || lane !== undefined },
        ),
      return: () => {
        isLeft = true;
        call?.return();
      },
    };
  }

  #callee(lane: number): Callee<Theirs> {
    const callee = this.lanes[lane];
    if (!callee) throw new RangeError(`There is no lane ${lane}`);
    return callee;
  }
}
