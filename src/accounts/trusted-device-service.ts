import type { ClientInfo } from "#core/client-info.ts";
import type { Person } from "#core/person.ts";
import type { Session } from "#core/session.ts";
import type { Statement } from "#storage/database-access.ts";
import type { TrustedDeviceRow } from "#storage/sign-in/trusted-devices.ts";
import { secretHash } from "#storage/tokens.ts";
import { userAgentOf } from "./client.ts";
import { randomSecret } from "./secrets.ts";
import type { SignInCookies } from "./sign-in-cookies.ts";
import type { SignInTables } from "./sign-in-tables.ts";

const AGE_SECONDS = 30 * 86_400;

/** Browsers that need no second factor for 30 days. Their secrets are stored as hashes. */
export class TrustedDeviceService {
  constructor(
    private readonly tables: SignInTables,
    private readonly cookies: SignInCookies,
  ) {}

  async find(client: ClientInfo, person: Person): Promise<TrustedDeviceRow | undefined> {
    const secret = await this.cookies.read(client, "trusted_device");
    return secret === undefined ? undefined : this.tables.trustedDevices.find(person, secretHash(secret), Date.now());
  }

  /** The statements that add this browser, and the cookie that identifies it. */
  async trust(client: ClientInfo, person: Person): Promise<{ statements: Statement[]; cookie: string }> {
    const secret = randomSecret(32);
    const now = Date.now();
    const device = {
      hash: secretHash(secret),
      userAgent: userAgentOf(client),
      address: client.address,
      expiresAt: now + AGE_SECONDS * 1000,
    };
    const cookie = await this.cookies.write(client, "trusted_device", secret, AGE_SECONDS);
    return { statements: this.tables.trustedDevices.adding(person, device, now), cookie };
  }

  async list(client: ClientInfo, { person }: Session): Promise<(TrustedDeviceRow & { current: boolean })[]> {
    const [devices, own] = await Promise.all([
      this.tables.trustedDevices.list(person, Date.now()),
      this.find(client, person),
    ]);
    return devices.map((device) => ({ ...device, current: device.id === own?.id }));
  }

  /** Forgets one device, or all. Resolves with the number of forgotten devices. */
  forget({ person }: Session, id?: string): Promise<number> {
    return this.tables.trustedDevices.forget(person, id);
  }
}
