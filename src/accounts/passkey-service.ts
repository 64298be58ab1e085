import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import { PASSKEY_NAME_LENGTH_MAX, type Person } from "#core/person.ts";
import { PROOF_MS_MAX, proofNeeded, type Session } from "#core/session.ts";
import { CREDENTIALS, GUESSES } from "#load/limit-groups.ts";
import { type Condition, required } from "#storage/database-access.ts";
import type { PasskeyRow } from "#storage/sign-in/passkeys.ts";
import { lastWayIn } from "#storage/sign-in/ways-in.ts";
import type { ChallengePurpose, SignInCookies } from "./sign-in-cookies.ts";
import type { SignInTables } from "./sign-in-tables.ts";
import { trimmedName } from "./token-service.ts";

/** The answer to a passkey's challenge is accepted once while the challenge is valid. */
const SAME_CHALLENGE = GUESSES.row("same challenge", "challenge", { max: 1, windowSeconds: 300 }, "refused");
const PASSKEYS = CREDENTIALS.row("passkeys", "account", { each: 50 }, "409");

const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;
/** The part of the browser's answers that is read here (Web Authentication Level 3, 5.1). The library checks the rest. */
const Answer = z.object({ id: z.base64url(), response: z.object({ transports: z.array(z.string()).default([]) }) });

/**
 * Passkeys (Web Authentication Level 3). A passkey stands for both factors, so the device must verify its holder by
 * fingerprint, face or PIN.
 */
export class PasskeyService {
  constructor(
    private readonly tables: SignInTables,
    private readonly cookies: SignInCookies,
  ) {}

  /** Options for signing in, or with `person` for proving that the session's holder is that person. */
  async authenticationOptions(client: ClientInfo, person?: Person) {
    const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
    const passkeys = person ? await this.tables.passkeys.list(person) : [];
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
    const { answer, expected } = await this.#answered(client, "sign in", given);
    const passkey = await this.tables.passkeys.findByCredential(answer.id);
    if (!passkey) throw passkeyRefused();
    const { credentialId: id, publicKey, counter } = passkey;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected,
      response: given as AuthenticationResponseJSON,
      credential: { id, publicKey, counter },
    }).catch(refuseBecause);
    const once = [[SAME_CHALLENGE, expected.expectedChallenge]] as const;
    if (!verified || !(await this.tables.throttle.tryCount(once))) throw passkeyRefused();
    const { newCounter } = authenticationInfo;
    if (newCounter !== counter) await this.tables.passkeys.keepCounter(passkey.id, newCounter);
    return passkey;
  }

  async registrationOptions(client: ClientInfo, { person }: Session) {
    const { generateRegistrationOptions } = await import("@simplewebauthn/server");
    const passkeys = await this.tables.passkeys.list(person);
    const options = await generateRegistrationOptions({
      rpName: "Plantstore",
      rpID: hostOf(client),
      userName: person.email,
      userDisplayName: person.name,
      attestationType: "none",
      excludeCredentials: passkeys.map(descriptorOf),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    return { options, cookies: [await this.cookies.writeChallenge(client, options.challenge, "register")] };
  }

  /** Spends the session's proof. Resolves with cookies. */
  async register(client: ClientInfo, session: Session, given: unknown, name: string): Promise<readonly string[]> {
    const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
    const { person } = session;
    const { answer, expected } = await this.#answered(client, "register", given);
    if ((await this.tables.passkeys.list(person)).length >= PASSKEYS.each) throw tooManyPasskeys();
    const { registrationInfo: info } = await verifyRegistrationResponse({
      ...expected,
      response: given as RegistrationResponseJSON,
    }).catch(refuseBecause);
    if (!info) throw passkeyRefused();
    const passkey = {
      id: crypto.randomUUID(),
      name: nameFrom(name),
      credentialId: info.credential.id,
      publicKey: info.credential.publicKey,
      counter: info.credential.counter,
      deviceType: info.credentialDeviceType,
      backedUp: info.credentialBackedUp,
      transports: TRANSPORTS.filter((known) => answer.response.transports.includes(known)),
      aaguid: info.aaguid,
    };
    const { id: target, name: kept } = passkey;
    const entry = {
      ...session.caller,
      ofPerson: person.id,
      action: "passkey.added",
      target,
      detail: { name: kept },
    } as const;
    await this.tables.passkeys.add(person, passkey, spentProof(this.tables, session), entry);
    return [this.cookies.clear(client, "passkey")];
  }

  /** An answer to the browser's challenge of that purpose, and what must be found in it. */
  async #answered(client: ClientInfo, purpose: ChallengePurpose, given: unknown) {
    const challenge = await this.cookies.readChallenge(client, purpose);
    const { data: answer } = Answer.safeParse(given);
    if (challenge === undefined || !answer) throw passkeyRefused();
    const expected = {
      expectedChallenge: challenge,
      expectedOrigin: client.origin,
      expectedRPID: hostOf(client),
      requireUserVerification: true,
    };
    return { answer, expected };
  }

  list({ person }: Pick<Session, "person">): Promise<PasskeyRow[]> {
    return this.tables.passkeys.list(person);
  }

  async rename({ person }: Session, id: string, name: string): Promise<void> {
    if (!(await this.tables.passkeys.rename(person, id, nameFrom(name)))) throw passkeyUnknown();
  }

  /** Rejects with "resource-unknown" if it is not the person's own. */
  async requireOwn({ person }: Session, id: string): Promise<PasskeyRow> {
    const passkey = (await this.tables.passkeys.list(person)).find((own) => own.id === id);
    if (!passkey) throw passkeyUnknown();
    return passkey;
  }

  /** Spends the session's proof. */
  async remove(session: Session, id: string): Promise<void> {
    const { person, caller } = session;
    const { name } = await this.requireOwn(session, id);
    const entry = { ...caller, ofPerson: person.id, action: "passkey.removed", target: id, detail: { name } } as const;
    const removed = await this.tables.passkeys.remove(person.id, id, spentProof(this.tables, session), entry);
    if (removed) return;
    await this.requireOwn(session, id);
    throw lastWayIn();
  }
}

/** The condition that the session has an unspent proof, which spends it: of two changes at once one is refused. */
export function spentProof({ sessions }: SignInTables, { id }: Session): Condition {
  return required(sessions.spending(id, Date.now() - PROOF_MS_MAX), proofNeeded);
}

const hostOf = ({ origin }: ClientInfo) => new URL(origin).hostname;
const descriptorOf = ({ credentialId }: PasskeyRow) => ({ id: credentialId });

const nameFrom = (name: string) => trimmedName(name, PASSKEY_NAME_LENGTH_MAX, 'Cannot take "name": it');

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
