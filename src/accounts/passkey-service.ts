import { z } from "zod";
import type { Account } from "#core/account.ts";
import { PASSKEY_NAME_LENGTH_MAX } from "#core/auth.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { Session } from "#core/session.ts";
import { isStorableText } from "#core/text.ts";
import { PASSKEYS, SAME_CHALLENGE } from "#load/limits.ts";
import type { Condition } from "#storage/atomically.ts";
import { PasskeyKnown, type PasskeyRow } from "#storage/sign-in/passkeys.ts";
import type { Throttle } from "#storage/throttle.ts";
import { entryOf } from "./client.ts";
import type { SignInCookies } from "./sign-in-cookies.ts";
import type { SignInTables } from "./sign-in-tables.ts";

const Base64Url = z.base64url().max(8192);
const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;
const Credential = {
  id: Base64Url,
  rawId: Base64Url,
  type: z.literal("public-key"),
  authenticatorAttachment: z.enum(["cross-platform", "platform"]).optional().catch(undefined),
  clientExtensionResults: z.object({}).default({}),
};

/** The browser's answers in WebAuthn's JSON forms (Web Authentication Level 3, 5.1). */
const AuthenticationResponse = z.object({
  ...Credential,
  response: z.object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.optional().catch(undefined),
  }),
});
const RegistrationResponse = z.object({
  ...Credential,
  response: z.object({
    clientDataJSON: Base64Url,
    attestationObject: z.base64url().max(16_384),
    transports: z
      .array(z.string())
      .transform((given) => TRANSPORTS.filter((known) => given.includes(known)))
      .optional(),
  }),
});

/**
 * Passkeys (Web Authentication Level 3). A passkey stands for both factors, so the device must verify its holder by
 * fingerprint, face or PIN.
 */
export class PasskeyService {
  constructor(
    private readonly tables: SignInTables,
    private readonly throttle: Throttle,
    private readonly cookies: SignInCookies,
  ) {}

  /** For signing in; with an account, for proving the identity of its session's holder. */
  async authenticationOptions(client: ClientInfo, account?: Account) {
    const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
    const passkeys = account ? await this.tables.passkeys.list(account) : [];
    const options = await generateAuthenticationOptions({
      rpID: hostOf(client),
      userVerification: "required",
      ...(passkeys.length > 0 ? { allowCredentials: passkeys.map(descriptorOf) } : {}),
    });
    return { options, cookie: await this.cookies.writeChallenge(client, options.challenge, "sign in") };
  }

  /** The passkey that answered the browser's challenge. Throws "second-factor-refused". */
  async authenticate(client: ClientInfo, given: unknown): Promise<PasskeyRow> {
    const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
    const challenge = await this.cookies.readChallenge(client, "sign in");
    const parsed = AuthenticationResponse.safeParse(given);
    if (challenge === undefined || !parsed.success) throw passkeyRefused();
    const passkey = await this.tables.passkeys.findByCredential(parsed.data.id);
    if (!passkey) throw passkeyRefused();
    const { credentialId: id, publicKey, counter } = passkey;
    const verified = await verifyAuthenticationResponse({
      response: parsed.data,
      expectedChallenge: challenge,
      expectedOrigin: client.origin,
      expectedRPID: hostOf(client),
      credential: { id, publicKey, counter },
      requireUserVerification: true,
    }).catch(refuseBecause);
    if (!verified.verified) throw passkeyRefused();
    if (!(await this.throttle.tryCount([[SAME_CHALLENGE, challenge]]))) throw passkeyRefused();
    const { newCounter } = verified.authenticationInfo;
    if (newCounter !== counter) await this.tables.passkeys.keepCounter(passkey.id, newCounter);
    return passkey;
  }

  async registrationOptions(client: ClientInfo, { account }: Session) {
    const { generateRegistrationOptions } = await import("@simplewebauthn/server");
    const passkeys = await this.tables.passkeys.list(account);
    const options = await generateRegistrationOptions({
      rpName: "Plantstore",
      rpID: hostOf(client),
      userName: account.email,
      userDisplayName: account.name,
      attestationType: "none",
      excludeCredentials: passkeys.map(descriptorOf),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    return { options, cookie: await this.cookies.writeChallenge(client, options.challenge, "register") };
  }

  /** `proof` is the condition under which the passkey is added. */
  async register(client: ClientInfo, session: Session, given: unknown, name: string, proof: Condition): Promise<void> {
    const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
    const { account } = session;
    const challenge = await this.cookies.readChallenge(client, "register");
    const parsed = RegistrationResponse.safeParse(given);
    if (challenge === undefined || !parsed.success) throw passkeyRefused();
    if ((await this.tables.passkeys.list(account)).length >= PASSKEYS.each) throw tooManyPasskeys();
    const { registrationInfo: info } = await verifyRegistrationResponse({
      response: parsed.data,
      expectedChallenge: challenge,
      expectedOrigin: client.origin,
      expectedRPID: hostOf(client),
      requireUserVerification: true,
    }).catch(refuseBecause);
    if (!info) throw passkeyRefused();
    const passkey = {
      name: nameFrom(name),
      credentialId: info.credential.id,
      publicKey: info.credential.publicKey,
      counter: info.credential.counter,
      deviceType: info.credentialDeviceType,
      backedUp: info.credentialBackedUp,
      transports: parsed.data.response.transports ?? [],
      aaguid: info.aaguid,
    };
    const entry = entryOf(session, "passkey.added", { detail: { name: passkey.name } });
    await this.tables.passkeys.add(account, passkey, proof, (id) => ({ ...entry, target: id })).catch(refuseKnown);
  }

  list({ account }: Session): Promise<PasskeyRow[]> {
    return this.tables.passkeys.list(account);
  }

  async rename({ account }: Session, id: string, name: string): Promise<void> {
    if (!(await this.tables.passkeys.rename(account, id, nameFrom(name)))) throw passkeyUnknown();
  }

  async requireOwn({ account }: Session, id: string): Promise<PasskeyRow> {
    const passkey = (await this.tables.passkeys.list(account)).find((own) => own.id === id);
    if (!passkey) throw passkeyUnknown();
    return passkey;
  }

  async remove(session: Session, { id, name }: PasskeyRow, proof: Condition): Promise<void> {
    const entry = entryOf(session, "passkey.removed", { target: id, detail: { name } });
    if (!(await this.tables.passkeys.remove(session.account.id, id, proof, entry))) throw passkeyUnknown();
  }
}

const hostOf = ({ origin }: ClientInfo) => new URL(origin).hostname;
const descriptorOf = ({ credentialId }: PasskeyRow) => ({ id: credentialId });

function nameFrom(name: string): string {
  const trimmed = name.trim();
  const { length } = [...trimmed];
  if (length > 0 && length <= PASSKEY_NAME_LENGTH_MAX && isStorableText(trimmed)) return trimmed;
  throw new Failure(
    "member-invalid",
    `Cannot take "name": it must have 1 to ${PASSKEY_NAME_LENGTH_MAX} characters, without U+0000 and lone surrogates`,
  );
}

function refuseKnown(error: unknown): never {
  if (!(error instanceof PasskeyKnown)) throw error;
  throw new Failure("second-factor-refused", "This passkey is registered already; use another device");
}

function refuseBecause(cause: unknown): never {
  throw passkeyRefused(cause);
}

export function passkeyRefused(cause?: unknown): Failure {
  return new Failure("second-factor-refused", "The passkey was not accepted; try again, or use the password", {
    cause,
  });
}

function passkeyUnknown(): Failure {
  return new Failure("resource-unknown", "The account has no such passkey; it may be removed already");
}

function tooManyPasskeys(): Failure {
  return new Failure(
    "account-limit",
    `This account has ${PASSKEYS.each} passkeys, which is the limit; remove one first`,
  );
}
