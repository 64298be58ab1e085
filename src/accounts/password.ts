import { networkOf } from "#load/counted-as.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";

/** Argon2id in the runtime's own threads: each keeps a processor busy for some 20 ms, and takes 19 MiB. */
export const PASSWORDS = THREAD_TIME.row("checks of passwords", "network", {
  each: 1,
  all: 2,
  waitingEach: 16,
  waiting: 256,
});

/** OWASP Password Storage Cheat Sheet: argon2id with at least 19 MiB, 2 passes. */
const HASH = { algorithm: "argon2id", memoryCost: 19 * 1024, timeCost: 2 } as const;

/** The hash of a random password, with the parameters above. */
const NOBODYS =
  "$argon2id$v=19$m=19456,t=2,p=1$MmpmeNW/sa5cZsb4A2IsJhb/Vxx+pbVrGi7UhAMI/qk$SPXPHAGgIBHk9rDhRLWGBq/ri+QOVyGk1ys2mf4KQFU";

/** The network address that sent a password; the operator's passwords have none. */
interface Origin {
  readonly address?: string | undefined;
}

const HASHING = new FairQueue(PASSWORDS);
const networkFrom = ({ address = "" }: Origin) => networkOf(address);

/**
 * Throws "rate-limited" if too many passwords of the network wait, "unavailable" if too many do overall. Asked before an
 * attempt is counted; what is begun after it waits its turn.
 */
export function requireRoomForPassword(origin: Origin): void {
  HASHING.requireRoom(networkFrom(origin));
}

export function hashPassword(password: string, origin: Origin): Promise<string> {
  return HASHING.run(networkFrom(origin), () => Bun.password.hash(password, HASH), { admitted: true });
}

/** Takes as long without a hash, and then resolves with false: timing does not reveal which accounts exist. */
export async function verifyPassword(password: string, hash: string | undefined, origin: Origin): Promise<boolean> {
  const verify = () => Bun.password.verify(password, hash ?? NOBODYS);
  const right = await HASHING.run(networkFrom(origin), verify, { admitted: true });
  return right && hash !== undefined;
}
