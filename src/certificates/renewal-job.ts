import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import type { Log } from "#core/log.ts";
import { AuthorityRefusal, type CertificateOrder, orderCertificate } from "./acme.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import type { CertificateFiles } from "./certificate-files.ts";
import type { CertificateFolder, RenewalState } from "./certificate-folder.ts";
import { newKey, newRequest } from "./certificate-request.ts";
import { ASK_MS, askRenewalInfo, renewalDueAt } from "./renewal-info.ts";

/** The time after each failed attempt; authorities allow five in an hour. */
const RETRIES_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];
const RETRY_MS_MAX = 6 * HOUR_MS;

export interface RenewalParts {
  readonly names: readonly string[];
  readonly directory: string;
  readonly email: string | undefined;
  readonly folder: CertificateFolder;
  readonly files: CertificateFiles;
  readonly log: Log;
  /** Called once for each certificate that ends soon and cannot be renewed. */
  onEnding(until: number): Promise<void>;
}

/** Fetches a certificate where there is none for the names, and another in time. */
export function renewalJob(parts: RenewalParts): Job {
  return {
    name: "certificate-renewal",
    // How often to try again while another process holds the lease.
    intervalMs: 10_000,
    firstDelayMs: 0,
    exclusive: true,
    async run({ signal }) {
      await ask(parts, signal);
      if (attemptAt(parts) <= Date.now()) await attempt(parts, signal);
      // A certificate that lives for minutes is due in seconds.
      return Math.min(Math.max(attemptAt(parts) - Date.now(), 1000), HOUR_MS);
    },
  };
}

/** The present certificate, unless it is for none of the names or from another authority. */
function present({ names, directory, folder, files }: RenewalParts): Certificate | undefined {
  const certificate = files.readIfThere();
  const fits = folder.readState().directory === directory && names.some((name) => certificate?.names.includes(name));
  return fits ? certificate : undefined;
}

/** The names that the certificate lacks, since the authority refused them, or since they are new. */
export function missingNames(names: readonly string[], certificate: Pick<Certificate, "names">): readonly string[] {
  return names.filter((name) => !certificate.names.includes(name));
}

function attemptAt(parts: RenewalParts): number {
  const { nextAt, advice } = parts.folder.readState();
  const certificate = present(parts);
  // A clock that was far ahead must not hold the next attempt up.
  const allowedAt = nextAt > Date.now() + RETRY_MS_MAX ? 0 : nextAt;
  const isWhole = certificate && missingNames(parts.names, certificate).length === 0;
  return Math.max(allowedAt, isWhole ? renewalDueAt(certificate, advice) : 0);
}

/** Asks the authority when it wants the certificate renewed. Without an answer its life says so. */
async function ask(parts: RenewalParts, signal: AbortSignal): Promise<void> {
  const { folder, directory, log } = parts;
  const id = present(parts)?.id;
  const { askAt = 0, advice } = folder.readState();
  const isEarly = Date.now() < askAt && askAt <= Date.now() + ASK_MS.max;
  if (id === undefined || isEarly) return;
  // Also for a process that is killed meanwhile.
  folder.keepState({ ...folder.readState(), askAt: Date.now() + ASK_MS.usual });
  try {
    const told = await askRenewalInfo({ directory, id, advice, signal, random: Math.random() });
    if (!told) return;
    folder.keepState({ ...folder.readState(), advice: told.advice, askAt: Date.now() + told.askAfterMs });
  } catch (error) {
    if (!signal.aborted)
      log.info(
        {},
        `the authority said no time for the renewal, which goes by the life of the certificate: ${problemIn(error)}`,
      );
  }
}

async function attempt(parts: RenewalParts, signal: AbortSignal): Promise<void> {
  const { folder, names, directory, log } = parts;
  const before = folder.readState();
  const { host } = new URL(directory);
  const { failures } = before;
  const lastAt = Date.now();
  try {
    // Also for a process that is killed meanwhile: it tries again at once the first time, and then waits.
    const nextAt = failures === 0 ? lastAt : lastAt + retryMs(failures - 1);
    const state = { ...before, failures: failures + 1, lastAt, nextAt };
    folder.writeState(state);
    log.info({ names }, `asks ${host} for a certificate`);
    const refusal = await fetchCertificate(parts, state, signal);
    if (!refusal) return folder.writeState({ directory, failures: 0, lastAt, nextAt: 0, askAt: before.askAt });
    const kept = { directory, failures: failures + 1, lastAt, askAt: before.askAt };
    retryLater(parts, kept, `The certificate is without ${refusal.names.join(", ")}: ${refusal.message}`);
  } catch (error) {
    // Told to stop; or not to run here any more, and another process may have begun an attempt.
    if (signal.aborted) return folder.readState().lastAt === lastAt ? folder.keepState(before) : undefined;
    await failed(parts, { ...before, failures: failures + 1, lastAt }, error);
  }
}

/** Resolves with the authority's refusal of some of the names, if the certificate is for the others alone. */
async function fetchCertificate(parts: RenewalParts, state: RenewalState, signal: AbortSignal) {
  try {
    // Once, since the authority may know of another order that replaces it.
    const replaces = state.failures === 1 ? present(parts)?.id : undefined;
    await fetchFor({ names: parts.names, replaces }, parts, state, signal);
    return undefined;
  } catch (error) {
    const others = error instanceof AuthorityRefusal ? parts.names.filter((name) => !error.names.includes(name)) : [];
    const isPartly = others.length > 0 && others.length < parts.names.length;
    if (!isPartly || signal.aborted || !isOfUse(others, parts)) throw error;
    await fetchFor({ names: others, replaces: undefined }, parts, state, signal);
    return error as AuthorityRefusal;
  }
}

/** True unless the present certificate does as well: it serves on while it has a name that was refused, or all that were not. */
function isOfUse(others: readonly string[], parts: RenewalParts): boolean {
  const certificate = present(parts);
  if (!certificate || certificate.until <= Date.now()) return true;
  const { names } = certificate;
  const isLost = parts.names.some((name) => names.includes(name) && !others.includes(name));
  const isGained = missingNames(others, certificate).length > 0;
  return !isLost && (isGained || renewalDueAt(certificate, parts.folder.readState().advice) <= Date.now());
}

async function fetchFor(
  { names, replaces }: Pick<CertificateOrder, "names" | "replaces">,
  parts: RenewalParts,
  state: RenewalState,
  signal: AbortSignal,
): Promise<void> {
  const { folder, directory, email } = parts;
  const accountKey = await folder.accountKey(async () => (await newKey()).pem);
  const key = await newKey();
  const chain = await orderCertificate({
    ...{ directory, email, names, replaces, accountKey, signal },
    request: await newRequest(key, names),
    answerChallenges: (challenges) => folder.writeState({ ...state, challenges }),
  });
  requireUsable(readCertificate(chain, key.pem), names);
  folder.writeCertificate(key.pem, chain);
}

function requireUsable(certificate: Certificate, names: readonly string[]): void {
  const { names: found, from, until } = certificate;
  const missing = names.find((name) => !found.includes(name));
  if (missing !== undefined) throw new Error(`the authority gave a certificate without the name ${missing}`);
  const now = Date.now();
  if (from <= now + HOUR_MS && now < renewalDueAt(certificate)) return;
  const [first, last, clock] = [from, until, now].map((time) => new Date(time).toISOString());
  throw new Error(
    `the certificate is for ${first} to ${last}, and the clock of this machine says ${clock}: set it right`,
  );
}

/** Keeps the state, and says when the next attempt is. */
function retryLater({ folder, names, log }: RenewalParts, state: Omit<RenewalState, "nextAt">, told: string) {
  const nextAt = Date.now() + retryMs(state.failures - 1);
  const next = new Date(nextAt).toISOString();
  const kept = { ...state, nextAt, problem: state.problem ?? told };
  // The state is on disk before the log reports it.
  folder.keepState(kept);
  log.warn({ names, next }, `${told}; the next attempt is at ${next}`);
  return kept;
}

async function failed(parts: RenewalParts, state: RenewalState, error: unknown) {
  const { folder, files, onEnding } = parts;
  const problem = problemIn(error);
  const kept = retryLater(parts, { ...state, problem }, `No new certificate: ${problem}`);
  const now = Date.now();
  const certificate = files.readIfThere();
  const life = certificate ? certificate.until - certificate.from : 0;
  const endsSoon = certificate && certificate.until - now < Math.min(7 * DAY_MS, life / 5);
  if (!endsSoon || state.announced === certificate.until) return;
  await onEnding(certificate.until);
  folder.keepState({ ...kept, announced: certificate.until });
}

function problemIn(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" ? "the disk is full" : message;
}

function retryMs(failures: number): number {
  return RETRIES_MS[failures] ?? RETRY_MS_MAX;
}
