import { passwordLengthProblem } from "#core/account.ts";
import { UsageError } from "./report.ts";

const GENERATED_BYTES = 15;

/** The password on the first line of standard input, or a generated one of 120 bits. */
export async function givenPassword(fromStandardInput = false): Promise<{ text: string; generated: boolean }> {
  if (!fromStandardInput) return { text: generatePassword(), generated: true };
  const [text = ""] = (await Bun.stdin.text()).split(/\r?\n/, 1);
  const problem = passwordLengthProblem(text);
  if (problem) throw new UsageError(`The password on standard input ${problem}`);
  return { text, generated: false };
}

function generatePassword(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(GENERATED_BYTES))).toString("base64url");
}
