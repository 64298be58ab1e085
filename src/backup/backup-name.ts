const MANIFEST_NAME = /^plantstore-\d{8}T\d{6}Z-[0-9a-z]+\.json$/;

export function backupName(at: Date, lastNumber: number): string {
  return `plantstore-${at.toISOString().replace(/[-:]|\.\d+/g, "")}-${lastNumber.toString(36)}`;
}

/** The name of the backup that a person means, who may have given the name of one of its files. */
export function nameWithoutExtension(name: string): string {
  return name.replace(/\.(?:json|db\.zst(?:\.age)?)$/, "");
}

export function manifestFile(name: string): string {
  return `${name}.json`;
}

/** The backup that a manifest is named for; undefined for any other file. */
export function nameOfManifest(file: string): string | undefined {
  return MANIFEST_NAME.test(file) ? file.slice(0, -".json".length) : undefined;
}

export function contentFile(name: string, recipients: readonly string[]): string {
  return `${name}.db.zst${recipients.length > 0 ? ".age" : ""}`;
}
