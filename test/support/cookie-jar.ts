import type { ClientInfo } from "#core/client-info.ts";

const ORIGIN = "https://plants.example";

/** The cookies of a browser. */
export class CookieJar {
  readonly #values = new Map<string, string>();
  readonly origin: string;
  address = "192.0.2.1";

  constructor(origin = ORIGIN) {
    this.origin = origin;
  }

  get client(): ClientInfo {
    const Cookie = [...this.#values].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers({ Cookie, "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0" });
    return { origin: this.origin, address: this.address, headers, requestId: "req_1" };
  }

  /** Stores these `Set-Cookie` lines. */
  take(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = ""] = line.split("; ");
      const name = pair.slice(0, pair.indexOf("="));
      if (line.includes("Max-Age=0")) this.#values.delete(name);
      else this.#values.set(name, pair.slice(name.length + 1));
    }
  }

  cookie(name: string): string | undefined {
    return this.#values.get(`__Host-plantstore.${name}`);
  }

  set(name: string, value: string): void {
    this.#values.set(`__Host-plantstore.${name}`, value);
  }

  drop(name: string): void {
    this.#values.delete(`__Host-plantstore.${name}`);
  }

  /** Another browser with the same cookies, like a thief's. */
  copy(): CookieJar {
    const copy = new CookieJar(this.origin);
    for (const [name, value] of this.#values) copy.#values.set(name, value);
    return copy;
  }
}
