import { z } from "zod";
import { GIVEN_CODE_LENGTH_MAX, GIVEN_PASSWORD_LENGTH_MAX } from "#core/account.ts";
import { Failure } from "#core/failure.ts";

const Password = z.string().max(GIVEN_PASSWORD_LENGTH_MAX);
const Code = z.string().trim().max(GIVEN_CODE_LENGTH_MAX);
const Proof = { password: Password.optional(), code: Code.optional() };
const Id = z.string().max(100);

/** The bodies of the requests to `/auth/*`. */
export const SignInForm = z.object({
  email: z.string().max(1024),
  password: Password,
  rememberMe: z.boolean().default(true),
});
export const CodeForm = z.object({ code: Code, trustDevice: z.boolean().default(false) });
export const ProofMembers = z.object(Proof);
export const ChangePassword = z.object({
  currentPassword: Password.optional(),
  newPassword: Password,
  code: Code.optional(),
  revokeTokens: z.boolean().default(false),
  removePasskeys: z.boolean().default(false),
  disableWebhooks: z.boolean().default(false),
});
export const PasskeyAnswer = z.object({ response: z.unknown(), name: z.string().max(1024).default("Passkey") });
export const PasskeyName = z.object({ id: Id, name: z.string().max(1024) });
export const PasskeyRemoval = z.object({ id: Id, ...Proof });

/** Throws "member-invalid" for the first fault of the form. */
export function readAuthForm<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Failure("member-invalid", `Cannot take "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "malformed"}`);
}
