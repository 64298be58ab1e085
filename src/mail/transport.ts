import ipaddr from "ipaddr.js";
import { unlessAborted } from "#core/deadline.ts";
import { html, type Message, plainText } from "./messages.ts";

export interface Transport {
  /** Resolves with what the mail server says once it has taken the message. Rejects with the signal's reason when it is aborted before. */
  send(to: string, message: Message, signal: AbortSignal): Promise<unknown>;
}

const WAITS_MS = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 20_000 };

/** Mail over SMTP, by nodemailer. It is loaded with the first message. */
export function smtpTransport(smtpUrl: string, from: string): Transport {
  const url = encryptedUrl(smtpUrl);
  return {
    async send(to, message, signal) {
      signal.throwIfAborted();
      const { createTransport } = await import("nodemailer");
      const transport = createTransport({ url, ...WAITS_MS }, { from });
      try {
        const sent = transport.sendMail({
          // An object, because a string would be parsed and could hold a second address.
          to: { name: "", address: to },
          subject: message.subject,
          text: plainText(message),
          html: html(message),
          headers: { "Auto-Submitted": "auto-generated" },
        });
        return (await unlessAborted(sent, signal)).response;
      } catch (error) {
        throw error instanceof Error && "code" in error && error.code === "ETLS" ? notEncrypted(error) : error;
      } finally {
        transport.close();
      }
    },
  };
}

/** Requires STARTTLS before a password is sent over `smtp://`, except to a server on this machine. */
function encryptedUrl(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  if (url.password !== "" && !isLoopback(url.hostname)) url.searchParams.set("requireTLS", "true");
  return url.href;
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  return host === "localhost" || (ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback");
}

function notEncrypted(cause: Error): Error {
  const message = `The mail server did not begin TLS (${cause.message}), without which nothing is sent to it`;
  return new Error(`${message}; set SMTP_URL to a server with STARTTLS or to smtps://`, { cause });
}
