import { z } from "zod";
import { request } from "./request.ts";

const Options = z.looseObject({ challenge: z.string() });

/** Whether this browser speaks WebAuthn's JSON forms (WebAuthn Level 3, 5.1.8 and 5.1.9). */
export const passkeysSupported =
  typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

/** A passkey belongs to a name, not to an address of digits (WebAuthn Level 3, 4 "RP ID"). */
export const passkeysNeedName = /^[\d.]+$|^\[/.test(location.hostname);

/** Signs in with a passkey that the reader chooses. Rejects with a NotAllowedError if none was chosen. */
export async function signInWithPasskey(): Promise<void> {
  const options = await request("GET", "/auth/passkey/generate-authenticate-options", Options);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const response = credentialJson(await navigator.credentials.get({ publicKey }));
  await request("POST", "/auth/passkey/verify-authentication", z.unknown(), { response });
}

export async function addPasskey(name: string): Promise<void> {
  const options = await request("GET", "/auth/passkey/generate-register-options", Options);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const response = credentialJson(await navigator.credentials.create({ publicKey }));
  await request("POST", "/auth/passkey/verify-registration", z.unknown(), { response, name });
}

function credentialJson(credential: Credential | null): unknown {
  if (credential instanceof PublicKeyCredential) return credential.toJSON();
  throw new DOMException("No passkey was chosen", "NotAllowedError");
}

/** The reader closed the browser's own dialog: nothing that needs telling. */
export function isDismissal(cause: unknown): boolean {
  return cause instanceof DOMException && (cause.name === "NotAllowedError" || cause.name === "AbortError");
}
