import { requireEmail } from "#accounts/account-service.ts";
import { testMessage } from "#mail/messages.ts";
import { smtpTransport } from "#mail/transport.ts";
import { InvalidSetting, readSettings } from "../settings.ts";
import { senderOf } from "../wiring/mail.ts";

const WAIT_MS_MAX = 30_000;

/** Sends one message, and resolves with what the mail server answered. */
export async function sendTestMail(to: string): Promise<string> {
  const { SMTP_URL, BASE_URL, MAIL_FROM } = readSettings(process.env);
  if (SMTP_URL === undefined || BASE_URL === undefined)
    throw new InvalidSetting("SMTP_URL must be set: no mail is sent without it");
  const transport = smtpTransport(SMTP_URL, senderOf({ BASE_URL, MAIL_FROM }));
  const { host } = new URL(SMTP_URL);
  try {
    return String(await transport.send(requireEmail(to), testMessage(), AbortSignal.timeout(WAIT_MS_MAX)));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The mail server of SMTP_URL (${host}) did not take it: ${reason}`, { cause });
  }
}
