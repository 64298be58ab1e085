import type { PasskeyRecord } from "#contract/dashboard/sign-in.ts";
import { useAnswer } from "./asking.ts";
import { Dismissed } from "./failure.ts";
import type { ServiceClient } from "./service-client.ts";

export const PASSKEYS = "passkeys";

export function usePasskeys(enabled = true) {
  const list = (service: ServiceClient) => service.request<PasskeyRecord[]>("GET", "/auth/passkey/list-user-passkeys");
  return useAnswer([PASSKEYS], list, { enabled });
}

/** True if this browser supports WebAuthn's JSON forms (WebAuthn Level 3, 5.1.8 and 5.1.9). */
export function passkeysSupported(): boolean {
  return typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** A passkey belongs to a host name, not to an IP address (WebAuthn Level 3, 4 "RP ID"). */
export function passkeysNeedName(): boolean {
  return /^[\d.]+$|^\[/.test(globalThis.location?.hostname);
}

/** True if this browser can use a passkey at the address of the page. */
export function passkeysUsable(): boolean {
  return passkeysSupported() && !passkeysNeedName();
}

/** Asks for one of the reader's passkeys and resolves with its answer. Rejects with Dismissed if none was chosen. */
export async function passkeyAnswer(service: ServiceClient): Promise<unknown> {
  const options = await service.request<PublicKeyCredentialRequestOptionsJSON>(
    "GET",
    "/auth/passkey/generate-authenticate-options",
  );
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return chosen(navigator.credentials.get({ publicKey }));
}

export async function signInWithPasskey(service: ServiceClient): Promise<void> {
  const response = await passkeyAnswer(service);
  await service.request("POST", "/auth/passkey/verify-authentication", { response });
}

export async function addPasskey(service: ServiceClient, name: string): Promise<void> {
  const options = await service.request<PublicKeyCredentialCreationOptionsJSON>(
    "GET",
    "/auth/passkey/generate-register-options",
    undefined,
    "unspent",
  );
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const response = await chosen(navigator.credentials.create({ publicKey }));
  await service.request("POST", "/auth/passkey/verify-registration", { response, name });
  service.proofs.spend();
}

/** The passkey as JSON. A reader who closed the browser's own dialog needs no message. */
async function chosen(asked: Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await asked;
    if (credential instanceof PublicKeyCredential) return credential.toJSON();
  } catch (cause) {
    const closed = cause instanceof DOMException && (cause.name === "NotAllowedError" || cause.name === "AbortError");
    if (!closed) throw cause;
  }
  throw new Dismissed("No passkey was chosen");
}
