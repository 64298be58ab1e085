/** OWASP Password Storage Cheat Sheet: argon2id with at least 19 MiB, 2 passes. */
const HASH = { algorithm: "argon2id", memoryCost: 19 * 1024, timeCost: 2 } as const;

export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, HASH);
}

export function verifyPassword(password: string, hash: string): Promise<boolean> {
  return Bun.password.verify(password, hash);
}
