import { renewInvitation } from "#accounts/invitation-service.ts";
import { makeMailedLink } from "#accounts/mailed-links.ts";
import { HOUR_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import { invitationLink } from "#core/member.ts";
import type { Observer } from "#core/observer.ts";
import { mailJob } from "#mail/mail-job.ts";
import { smtpTransport } from "#mail/transport.ts";
import type { Storage } from "#storage/storage.ts";
import type { Settings } from "../settings.ts";

/** The sender of mail, unless another is set. */
export function senderOf({ MAIL_FROM, BASE_URL }: Pick<Settings, "MAIL_FROM"> & { readonly BASE_URL: string }): string {
  return MAIL_FROM ?? `Plantstore <plantstore@${new URL(BASE_URL).hostname}>`;
}

/** The jobs that send mail; none without SMTP_URL. */
export function mailJobs(settings: Settings, storage: Storage, observer: Observer): Job[] {
  const { SMTP_URL: smtpUrl, BASE_URL: baseUrl } = settings;
  if (smtpUrl === undefined || baseUrl === undefined) return [];
  const { origin } = new URL(baseUrl);
  const from = senderOf({ ...settings, BASE_URL: baseUrl });
  const page = (path: string) => `${origin}/dashboard/${path}`;
  const sending = mailJob({
    queue: storage.mail,
    transport: smtpTransport(smtpUrl, from),
    observer,
    links: {
      settings: page("settings"),
      tokens: page("developer"),
      recovery: async (person) => page(`recovery?token=${await makeMailedLink(storage, person, "recover-password")}`),
      verification: async (person) =>
        page(`verify-email?token=${await makeMailedLink(storage, person, "verify-address")}`),
      invitation: async (id) => {
        const secret = await renewInvitation(storage, id);
        return secret && invitationLink(origin, secret);
      },
    },
    people: storage.records.people,
    stores: storage.records.stores,
    members: storage.records.members,
  });
  const expiring: Job = {
    name: "expiring-tokens",
    intervalMs: HOUR_MS,
    firstDelayMs: 10_000,
    exclusive: true,
    run: ({ now }) => storage.mail.noticeExpiringTokens(now),
  };
  return [sending, expiring];
}
