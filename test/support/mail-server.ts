import { buffer } from "node:stream/consumers";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { freePort } from "./free-port.ts";

export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A real SMTP server on the loopback that stores the mail it receives. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  #server: SMTPServer | undefined;
  /** Not one that the system gives out, which another socket could have got while the server is stopped. */
  readonly #port = freePort();

  static async start(): Promise<MailServer> {
    const server = new MailServer();
    await server.startAgain();
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  /** On the same port. */
  async startAgain(): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData: (stream, session, done) => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join(", ");
        buffer(stream)
          .then((bytes) => this.#keep(bytes, to))
          .then(() => done(), done);
      },
    });
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(resolve));
  }

  async #keep(bytes: Buffer, to: string): Promise<void> {
    const { from, subject = "", text = "", html = "" } = await PostalMime.parse(bytes);
    this.received.push({ from: from?.address ?? "", to, subject, text, html });
  }
}
