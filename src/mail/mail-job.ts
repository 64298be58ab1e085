import { MINUTE_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import { type AddressedMail, type Mail, type MailQueue, plainName, type QueuedMail } from "#core/mail.ts";
import type { Observer } from "#core/observer.ts";
import type { Person } from "#core/person.ts";
import type { Records } from "#core/records.ts";
import {
  invitationMessage,
  type Message,
  noticeMessage,
  recoveryMessage,
  type ServiceLinks,
  verifyMessage,
} from "./messages.ts";
import type { Transport } from "./transport.ts";

export const MAIL_JOB = "mail";
/** The delay after each failed attempt, in minutes; after the last one the message is given up. */
const RETRIES_MINUTES = [1, 5, 30, 120, 360, 720];

/** Makes a link for a person. It is made when its message is sent, and stored as a hash. */
interface LinkMaker {
  recovery(person: Person): Promise<string>;
  verification(person: Person): Promise<string>;
  /** Undefined if the invitation may not be taken any more. */
  invitation(id: string): Promise<string | undefined>;
}

export interface MailJobParts {
  readonly queue: MailQueue;
  readonly transport: Transport;
  readonly links: LinkMaker & ServiceLinks;
  readonly observer: Pick<Observer, "failed" | "gaveUp">;
  readonly people: Records["people"];
  readonly stores: Pick<Records["stores"], "find">;
  readonly members: Pick<Records["members"], "list">;
}

/** Sends queued mail, on any node. A mail server that is down is tried again for a day. */
export function mailJob(parts: MailJobParts): Job {
  return {
    name: MAIL_JOB,
    // Messages queued by other processes are found within this time.
    intervalMs: 2000,
    async run({ now, signal }) {
      // Reserves the message for five minutes, so that no other process sends it too.
      const queued = await parts.queue.takeDue(now, now + 5 * MINUTE_MS);
      if (!queued) return undefined;
      await deliver(parts, queued, now, signal);
      return 0;
    },
  };
}

async function deliver(parts: MailJobParts, queued: QueuedMail, now: number, signal: AbortSignal): Promise<void> {
  const { queue, transport, observer } = parts;
  let isSent = false;
  try {
    const addressed = await addressedMessage(parts, queued, now);
    // A message that failed before is counted already.
    const isAllowed = addressed && (queued.attempts > 0 || (await queue.allow(addressed, now)));
    if (isAllowed) await transport.send(addressed.to, await addressed.message(), signal);
    isSent = isAllowed === true;
  } catch (error) {
    // Another node, or the next start, sends it.
    if (signal.aborted) return queue.tryAgain(queued.id, now);
    const minutes = RETRIES_MINUTES[queued.attempts];
    observer.failed("mail", error);
    if (minutes === undefined) observer.gaveUp("a message was not sent, and is given up", error);
    await (minutes === undefined ? queue.remove(queued.id) : queue.tryAgain(queued.id, now + minutes * MINUTE_MS));
    return queue.noteOutcome(now, error instanceof Error ? error.message : String(error));
  }
  await queue.remove(queued.id);
  if (isSent) await queue.noteOutcome(now);
}

interface Addressed extends AddressedMail {
  message(): Message | Promise<Message>;
}

/**
 * Undefined if nobody has to be told any more: there is no such person, the message is too old, or its purpose is
 * fulfilled. An address that was never verified gets only what verifies it: the link for that, and the one that sets a
 * new password, if somebody asks for it.
 */
async function addressedMessage(parts: MailJobParts, queued: QueuedMail, now: number): Promise<Addressed | undefined> {
  const { id, mail, createdAt, recipient } = queued;
  const { links, people } = parts;
  const person = await people.find(mail.kind === "recover-password" ? { email: mail.to } : { id: mail.person });
  if (!person) return undefined;
  const addressed = { id, kind: mail.kind, person: person.id, to: person.email };
  switch (mail.kind) {
    case "recover-password":
      // Its link would be useless.
      if (now - createdAt > 60 * MINUTE_MS) return undefined;
      return { ...addressed, message: async () => recoveryMessage(await links.recovery(person)) };
    case "verify-address":
      if (person.emailVerified) return undefined;
      return { ...addressed, message: async () => verifyMessage(await links.verification(person)) };
    case "notice": {
      if (recipient === undefined || !(await isToBeTold(parts, mail, person))) return undefined;
      const name = await nameOf(parts, mail);
      return { ...addressed, to: recipient, message: () => noticeMessage(mail.notice, name, links) };
    }
    case "invitation": {
      if (!person.emailVerified || recipient === undefined) return undefined;
      const url = await links.invitation(mail.invitation);
      return url === undefined ? undefined : { ...addressed, to: recipient, message: () => invitationMessage(url) };
    }
  }
}

/** The name of the store that the notice is about, if it is about one. */
async function nameOf({ stores }: MailJobParts, { store: number }: NoticeMail): Promise<string> {
  const store = number === undefined ? undefined : await stores.find({ number });
  return store ? plainName(store.name, store.id) : "that is gone";
}

type NoticeMail = Extract<Mail, { kind: "notice" }>;

/** A person who has left the store since, or is no owner any more, is not told what is done there. */
async function isToBeTold(
  { members }: MailJobParts,
  { store, forOwners }: NoticeMail,
  { id }: Person,
): Promise<boolean> {
  if (store === undefined || !forOwners) return true;
  return (await members.list(store)).some((member) => member.id === id && member.role === "owner");
}
