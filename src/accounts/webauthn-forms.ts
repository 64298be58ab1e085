import { z } from "zod";

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
export const AuthenticationResponse = z.object({
  ...Credential,
  response: z.object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.optional().catch(undefined),
  }),
});

export const RegistrationResponse = z.object({
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
