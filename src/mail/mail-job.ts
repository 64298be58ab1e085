import type { Account } from "#core/account.ts";
import type { Job } from "#core/job.ts";
import type { AddressedMail, MailQueue, QueuedMail } from "#core/mail.ts";
import type { Observer } from "#core/observer.ts";
import type { Store } from "#core/store.ts";
import { type Message, noticeMessage, recoveryMessage, type ServiceLinks, verifyMessage } from "./messages.ts";
import type { Transport } from "./transport.ts";

export const MAIL_JOB = "mail";
/** Messages queued by other processes are found within this time. */
const INTERVAL_MS = 2000;
/** While a message is being sent, no other process takes it for this long. */
const SENDING_MS_MAX = 5 * 60_000;
/** The delay after each failed attempt; after the last one the message is given up. */
const RETRIES_MS = [60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 6 * 3_600_000, 12 * 3_600_000];
/** A link for recovering a password is useless afterwards. */
const RECOVERY_AGE_MS_MAX = 3_600_000;

/** Makes a link for the holder of an account. It is made when its message is sent, and stored as a hash. */
interface LinkMaker {
  recovery(account: Account): Promise<string>;
  verification(account: Account): Promise<string>;
}

export interface MailJobParts {
  readonly queue: MailQueue;
  readonly transport: Transport;
  readonly links: LinkMaker & ServiceLinks;
  readonly observer: Pick<Observer, "failed">;
  readonly accounts: Pick<Store["accounts"], "findByEmail" | "findByNumber">;
}

/** Sends queued mail, on any node. A mail server that is down is tried again for a day. */
export function mailJob(parts: MailJobParts): Job {
  return {
    name: MAIL_JOB,
    intervalMs: INTERVAL_MS,
    async run({ now }) {
      const queued = await parts.queue.takeDue(now, now + SENDING_MS_MAX);
      if (!queued) return undefined;
      await deliver(parts, queued, now);
      return 0;
    },
  };
}

async function deliver(parts: MailJobParts, queued: QueuedMail, now: number): Promise<void> {
  const { queue, transport, observer } = parts;
  try {
    const addressed = await addressedMessage(parts, queued, now);
    // A message that failed before is counted already.
    const isAllowed = addressed && (queued.attempts > 0 || (await queue.allow(addressed, now)));
    if (isAllowed) await transport.send(addressed.to, await addressed.message());
  } catch (error) {
    observer.failed("mail", error);
    const delayMs = RETRIES_MS[queued.attempts];
    if (delayMs !== undefined) return queue.tryAgain(queued.id, now + delayMs);
  }
  await queue.remove(queued.id);
}

interface Addressed extends AddressedMail {
  message(): Message | Promise<Message>;
}

/**
 * Undefined if nobody has to be told any more: there is no such account, the message is too old, or its purpose is
 * fulfilled. An address that was never verified gets only what verifies it: the link for that, and the one that sets a
 * new password, if somebody asks for it.
 */
async function addressedMessage(parts: MailJobParts, queued: QueuedMail, now: number): Promise<Addressed | undefined> {
  const { mail, createdAt, recipient } = queued;
  const { links } = parts;
  const { accounts } = parts;
  const account = await (mail.kind === "recover-password"
    ? accounts.findByEmail(mail.to)
    : accounts.findByNumber(mail.account));
  if (!account) return undefined;
  const addressed = { kind: mail.kind, account: account.number, to: account.email };
  switch (mail.kind) {
    case "recover-password":
      if (now - createdAt > RECOVERY_AGE_MS_MAX) return undefined;
      return { ...addressed, message: async () => recoveryMessage(await links.recovery(account)) };
    case "verify-address":
      if (account.emailVerified) return undefined;
      return { ...addressed, message: async () => verifyMessage(await links.verification(account)) };
    case "notice":
      if (recipient === undefined && !account.emailVerified) return undefined;
      return { ...addressed, to: recipient ?? account.email, message: () => noticeMessage(mail.notice, links) };
  }
}
