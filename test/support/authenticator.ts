import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

/** A passkey device in software (Web Authentication Level 2) with one ES256 key pair and no attestation. */
export class SoftwareAuthenticator {
  readonly #id = randomBytes(16);
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #origin: string;
  /** True if the device verifies its holder by fingerprint or PIN. */
  verifiesUser = true;
  /** The count of signatures that it sends; 0 if it does not count. */
  signatures = 0;

  constructor(origin: string) {
    this.#origin = origin;
    ({ privateKey: this.#privateKey, publicKey: this.#publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" }));
  }

  register({ challenge, rp }: { challenge: string; rp: { id: string } }) {
    const { x = "", y = "" } = this.#publicKey.export({ format: "jwk" });
    const key = new Map<number, number | Buffer>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, cbor(key)]);
    const authData = Buffer.concat([this.#data(rp.id, HAS_CREDENTIAL), credential]);
    const attestation = new Map<string, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    const clientDataJSON = this.#clientData("webauthn.create", challenge).toString("base64url");
    return this.#answer({ clientDataJSON, attestationObject: cbor(attestation).toString("base64url"), transports: [] });
  }

  sign({ challenge, rpId }: { challenge: string; rpId: string }) {
    const authenticatorData = this.#data(rpId, 0);
    const clientData = this.#clientData("webauthn.get", challenge);
    const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientData).digest()]);
    return this.#answer({
      authenticatorData: authenticatorData.toString("base64url"),
      clientDataJSON: clientData.toString("base64url"),
      signature: createSign("sha256").update(signed).sign(this.#privateKey).toString("base64url"),
    });
  }

  #answer(response: object) {
    const id = this.#id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }

  #data(rpId: string, flags: number): Buffer {
    const all = flags | USER_PRESENT | (this.verifiesUser ? USER_VERIFIED : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.signatures);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([all]), count]);
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }
}

/** Encodes what a passkey needs as CBOR (RFC 8949): small integers, short strings, bytes and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === "string") return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)]);
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  return Buffer.from([(major << 5) | 24, argument]);
}
