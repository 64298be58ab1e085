import { visit } from "./dom.ts";

/**
 * A browser that has passkeys, at a host with a name, for component tests. Components look for both once, when they are
 * loaded, so a test imports them after this file. happy-dom has no credentials of its own.
 */
class StandInCredential {
  constructor(readonly answer: unknown) {}

  static parseCreationOptionsFromJSON<Options>(options: Options): Options {
    return options;
  }

  static parseRequestOptionsFromJSON<Options>(options: Options): Options {
    return options;
  }

  toJSON(): unknown {
    return this.answer;
  }
}

/** The options that the browser was given, and the credential or the refusal with which its holder answers. */
export const passkeyHolder: { asked: unknown[]; answers: () => unknown } = { asked: [], answers: () => ({}) };

async function answer({ publicKey }: { readonly publicKey: unknown }): Promise<StandInCredential> {
  passkeyHolder.asked.push(publicKey);
  return new StandInCredential(passkeyHolder.answers());
}

/** The answer of a holder who closes the browser's own dialog (WebAuthn Level 3, 5.1.3). */
export function dismissed(): never {
  throw new DOMException("The operation either timed out or was not allowed", "NotAllowedError");
}

visit("/dashboard", "localhost");
Reflect.set(globalThis, "PublicKeyCredential", StandInCredential);
Reflect.defineProperty(navigator, "credentials", { value: { create: answer, get: answer }, configurable: true });
