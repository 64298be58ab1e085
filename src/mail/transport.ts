import type { Message } from "./messages.ts";
import { html, plainText } from "./template.ts";

export interface Transport {
  /** Resolves when the mail server has taken the message. */
  send(to: string, message: Message): Promise<void>;
}

const WAIT_MS_MAX = 20_000;

/** Mail over SMTP, by nodemailer. It is loaded with the first message. */
export function smtpTransport(smtpUrl: string, from: string): Transport {
  return {
    async send(to, message) {
      const { createTransport } = await import("nodemailer");
      const waits = { connectionTimeout: WAIT_MS_MAX, greetingTimeout: WAIT_MS_MAX, socketTimeout: WAIT_MS_MAX };
      const transport = createTransport(smtpUrl, { ...waits, from });
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
      } finally {
        transport.close();
      }
    },
  };
}
