import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "#test/support/at-end.ts";
import { eventually } from "#test/support/eventually.ts";
import { freePort } from "#test/support/free-port.ts";

export const BUCKET = "nursery";

export interface S3Gateway {
  readonly endpoint: string;
  /** The folder that has the bucket's objects as files. */
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The settings with which the service reaches it. */
  readonly settings: Record<string, string>;
}

/** Starts versitygw, a server of the S3 protocol over a folder, with one bucket. */
export async function startGateway(folder: string): Promise<S3Gateway> {
  const bucket = join(folder, "objects", BUCKET);
  mkdirSync(bucket, { recursive: true });
  const address = `127.0.0.1:${freePort()}`;
  const endpoint = `http://${address}`;
  const [accessKeyId, secretAccessKey] = ["AKPLANTSTORE", crypto.randomUUID()];
  const keys = { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey };
  const child = Bun.spawn(["versitygw", "--port", address, "posix", join(folder, "objects")], {
    env: { PATH: process.env.PATH ?? "", ...keys },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  atEnd(() => child.kill());
  await eventually("the gateway answers", () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    ),
  );
  const settings = {
    S3_ENDPOINT: endpoint,
    S3_REGION: "us-east-1",
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
  return { endpoint, bucket, accessKeyId, secretAccessKey, settings };
}
