/** OWASP Password Storage Cheat Sheet: argon2id with at least 19 MiB, 2 passes. */
const HASH = { algorithm: "argon2id", memoryCost: 19 * 1024, timeCost: 2 } as const;

/** The hash of a random password, with the parameters above. */
const NOBODYS =
  "$argon2id$v=19$m=19456,t=2,p=1$MmpmeNW/sa5cZsb4A2IsJhb/Vxx+pbVrGi7UhAMI/qk$SPXPHAGgIBHk9rDhRLWGBq/ri+QOVyGk1ys2mf4KQFU";

export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, HASH);
}

/** Without a hash it resolves with false after the same time, so that timing does not reveal which accounts exist. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const right = await Bun.password.verify(password, hash ?? NOBODYS);
  return right && hash !== undefined;
}
