import type { Storage } from "#storage/storage.ts";
import type { Auth } from "./auth.ts";
import type { LoginThrottle } from "./login-throttle.ts";

const AUTHS_LENGTH_MAX = 16;

/**
 * better-auth by origin, loaded at its first use: a node that serves the API alone never pays for it. Without BASE_URL
 * a client can name any host, so that only the newest few are remembered.
 */
export class Auths {
  readonly #storage: Storage;
  readonly #throttle: LoginThrottle;
  readonly #secret: () => Promise<string>;
  readonly #known = new Map<string, Promise<Auth>>();

  constructor(storage: Storage, throttle: LoginThrottle, secret: () => Promise<string>) {
    this.#storage = storage;
    this.#throttle = throttle;
    this.#secret = secret;
  }

  of(origin: string): Promise<Auth> {
    const known = this.#known.get(origin);
    if (known) return known;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= AUTHS_LENGTH_MAX) this.#known.delete(oldest);
    const made = this.#make(origin);
    this.#known.set(origin, made);
    made.catch(() => this.#known.delete(origin));
    return made;
  }

  async #make(origin: string): Promise<Auth> {
    const [{ createAuth }, secret] = await Promise.all([import("./auth.ts"), this.#secret()]);
    return createAuth(this.#storage, this.#throttle, origin, secret);
  }
}
