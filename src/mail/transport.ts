import ipaddr from "ipaddr.js";
import { html, type Message, plainText } from "./messages.ts";

export interface Transport {
  /** Resolves when the mail server has taken the message. */
  send(to: string, message: Message): Promise<void>;
}

const WAIT_MS_MAX = 20_000;
const WAITS = { connectionTimeout: WAIT_MS_MAX, greetingTimeout: WAIT_MS_MAX, socketTimeout: WAIT_MS_MAX };

/** Mail over SMTP, by nodemailer. It is loaded with the first message. */
export function smtpTransport(smtpUrl: string, from: string): Transport {
  const url = encryptedUrl(smtpUrl);
  return {
    async send(to, message) {
      const { createTransport } = await import("nodemailer");
      const transport = createTransport({ url, ...WAITS }, { from });
      try {
        const { subject } = message;
        await transport.sendMail({
          // As an object, so that nothing in the address is parsed as a second address.
          to: { name: "", address: to },
          subject,
          text: plainText(message),
          html: html(message),
          headers: { "Auto-Submitted": "auto-generated" },
        });
      } catch (error) {
        throw isFailedUpgrade(error) ? notEncrypted(error) : error;
      } finally {
        transport.close();
      }
    },
  };
}

/** Over `smtp://` a password is sent after STARTTLS alone, but for a server on this machine. */
function encryptedUrl(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  if (url.password !== "" && !isLoopback(url.hostname)) url.searchParams.set("requireTLS", "true");
  return url.href;
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  return host === "localhost" || (ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback");
}

function isFailedUpgrade(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ETLS";
}

function notEncrypted(cause: Error): Error {
  const message = `The mail server did not begin TLS (${cause.message}), without which nothing is sent to it`;
  return new Error(`${message}; set SMTP_URL to a server with STARTTLS or to smtps://`, { cause });
}
