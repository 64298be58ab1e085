import { z } from "zod";

const count = z.number().int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const SCHEMA = z.strictObject({
  /** The release that made the backup. */
  version: z.string(),
  /** The newest migration of the database. */
  schema: z.string(),
  at: z.iso.datetime(),
  engine: z.literal("sqlite"),
  plants: count,
  accounts: count,
  /** The newest insertion number that was given to a plant. */
  last_number: count,
  /** The size of the database file. */
  bytes: count,
  /** Checksums of the database file, of the stored file, and of the manifest's other members. */
  sha256: z.strictObject({ plain: sha256, stored: sha256, manifest: sha256 }),
  /** The size of the file that is kept. */
  compressed: count,
  /** The age recipients who can read it; none if it is not encrypted. */
  recipients: z.array(z.string()),
  verified_at: z.iso.datetime().nullable(),
  /** The random id of the database, which all of its backups name; missing in those of earlier releases. */
  database: z.string().min(1).optional(),
});

/** Describes one backup. It is written after the file that it describes: a file without one is no backup. */
export type Manifest = z.output<typeof SCHEMA>;

export type ManifestContent = Omit<Manifest, "sha256"> & { readonly sha256: Omit<Manifest["sha256"], "manifest"> };

/** A backup with its name, such as `plantstore-20261121T161229Z-1z`. */
export interface Backup {
  readonly name: string;
  readonly manifest: Manifest;
  /** Why it cannot be restored, as its file is missing or has another size, for a list; undefined if it is whole. */
  readonly problem?: string | undefined;
}

/** A backup whose manifest or file is not as it was written. */
export class DamagedBackup extends Error {}

const NAME = /^plantstore-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-z]+$/;

export function backupName(at: Date, lastNumber: number): string {
  return `plantstore-${at.toISOString().replace(/[-:]|\.\d+/g, "")}-${lastNumber.toString(36)}`;
}

/** The time in a backup's name, in milliseconds since 1970; NaN if the name is not a backup's. */
export function timeOfName(name: string): number {
  const time = NAME.exec(name) ?? [];
  return Date.parse(`${time.slice(1, 4).join("-")}T${time.slice(4).join(":")}Z`);
}

/** The backup that a person means, who may have given the name of one of its files; undefined for any other name. */
export function nameOf(given: string): string | undefined {
  const name = given.replace(/\.(?:json|db\.zst(?:\.age)?)$/, "");
  return NAME.test(name) ? name : undefined;
}

export function manifestFile(name: string): string {
  return `${name}.json`;
}

export function contentFile(name: string, recipients: readonly string[]): string {
  return `${name}.db.zst${recipients.length > 0 ? ".age" : ""}`;
}

export function writeManifest(manifest: ManifestContent): string {
  const { plain, stored } = manifest.sha256;
  const summed = { ...manifest, sha256: { plain, stored, manifest: checksum(manifest) } };
  return `${JSON.stringify(summed, undefined, 2)}\n`;
}

/** Throws DamagedBackup unless the text is the manifest of that backup, as it was written. */
export function readManifest(name: string, text: string): Manifest {
  const damaged = (cause?: unknown) => new DamagedBackup(`${manifestFile(name)} is damaged`, { cause });
  let manifest: Manifest;
  try {
    manifest = SCHEMA.parse(JSON.parse(text));
  } catch (cause) {
    throw damaged(cause);
  }
  const named = backupName(new Date(manifest.at), manifest.last_number);
  if (named !== name || manifest.sha256.manifest !== checksum(manifest)) throw damaged();
  return manifest;
}

/** Covers every present member except the checksum itself, in the order of the schema. */
function checksum({ sha256: { plain, stored }, ...members }: ManifestContent): string {
  const ordered = Object.keys(SCHEMA.shape)
    .map((key) => (key === "sha256" ? [plain, stored] : Reflect.get(members, key)))
    .filter((value) => value !== undefined);
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(ordered)).digest("hex");
}
