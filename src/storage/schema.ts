import type { ColumnType, Generated } from "kysely";

/**
 * The tables, as Kysely sees them. int64 columns are written as bigint and read as text (`CAST(… AS text)`): neither
 * engine's driver gives an int64 exactly in any other way that both share. Times are integers, milliseconds since 1970;
 * only the tables that better-auth writes keep its own kind of date.
 */
export interface Schema {
  plants: PlantsTable;
  plant_counts: { account: number; slot: number; count: number };
  counters: { name: string; value: number };
  tokens: TokensTable;
  accounts: AccountsTable;
  credentials: CredentialsTable;
  removed_accounts: { number: number; removed_at: number };
  kept_secrets: { name: string; value: string };
  sessions: SessionsTable;
  second_factors: { id: string; user_id: string };
  verifications: { identifier: string; value: string; expires_at: AuthDate };
  attempts: { key: string; count: number; ends_at: number };
  welcome_codes: { place: number; hash: string; used_by: string | null };
  usage_counts: UsageCountsTable;
}

type Int64 = ColumnType<string, bigint, bigint>;

interface PlantsTable {
  number: Int64;
  account: number;
  id: Int64;
  name: string;
  tag: string | null;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface TokensTable {
  id: string;
  account: number;
  name: string;
  hash: Uint8Array;
  hint: string;
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  session_id: string | null;
}

interface UsageCountsTable {
  account: number;
  token: string;
  span: string;
  start: number;
  outcome: number;
  count: number;
}

type AuthDate = ColumnType<Date | string, Date | string, Date | string>;

interface AccountsTable {
  number: Generated<number>;
  id: string;
  name: string;
  email: string;
  email_verified: boolean | number;
  image: string | null;
  two_factor_enabled: ColumnType<boolean | number | null, boolean | number | null | undefined>;
  created_at: AuthDate;
  updated_at: AuthDate;
}

interface CredentialsTable {
  id: string;
  account_id: string;
  provider_id: string;
  user_id: string;
  access_token: ColumnType<string | null, string | null | undefined>;
  refresh_token: ColumnType<string | null, string | null | undefined>;
  id_token: ColumnType<string | null, string | null | undefined>;
  access_token_expires_at: ColumnType<Date | string | null, Date | string | null | undefined>;
  refresh_token_expires_at: ColumnType<Date | string | null, Date | string | null | undefined>;
  scope: ColumnType<string | null, string | null | undefined>;
  password: ColumnType<string | null, string | null | undefined>;
  created_at: AuthDate;
  updated_at: AuthDate;
}

interface SessionsTable {
  id: string;
  token: string;
  user_id: string;
  expires_at: AuthDate;
  ip_address: string | null;
  user_agent: string | null;
  created_at: AuthDate;
  updated_at: AuthDate;
}
