/** The credentials of a browser that has passkeys, for component tests. happy-dom has none of its own. */
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

/** Gives the page passkeys, or takes them away. */
export function offerPasskeys(offered: boolean): void {
  Reflect.set(globalThis, "PublicKeyCredential", offered ? StandInCredential : undefined);
  const value = offered ? { create: answer, get: answer } : undefined;
  Reflect.defineProperty(navigator, "credentials", { value, configurable: true });
}
