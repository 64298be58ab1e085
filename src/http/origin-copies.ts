/** The number of public addresses that keep a copy. */
const COPIES_MAX = 16;
/**
 * Everybody may make up addresses, so a further one takes the place of the one that was asked for longest ago at most once in
 * this time. Otherwise its reader has a copy of its own, which is not kept.
 */
const REPLACED_AFTER_MS = 1000;

/** Copies of a text that names the public address under which its reader reached this service, one for each address. */
export class OriginCopies<Copy> {
  /** The one that was asked for longest ago is first. */
  readonly #copies = new Map<string, Copy>();
  #replacedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly make: (origin: string) => Copy) {}

  of(origin: string): { readonly copy: Copy; readonly isKept: boolean } {
    const copy = this.#copies.get(origin) ?? this.make(origin);
    const isKept = this.#hasRoomFor(origin);
    if (isKept) {
      this.#copies.delete(origin);
      this.#copies.set(origin, copy);
    }
    return { copy, isKept };
  }

  #hasRoomFor(origin: string): boolean {
    if (this.#copies.size < COPIES_MAX || this.#copies.has(origin)) return true;
    if (Date.now() - this.#replacedAt < REPLACED_AFTER_MS) return false;
    this.#replacedAt = Date.now();
    for (const [oldest] of this.#copies.entries().take(1)) this.#copies.delete(oldest);
    return true;
  }
}
