import { type Operator, openOperator } from "#server/operator.ts";

/** Runs an operator's command on the database that DATABASE_URL names, beside whatever server runs on it. */
export async function asOperator<T>(
  act: (operator: Operator) => Promise<T>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<T> {
  const operator = await openOperator(environment);
  try {
    return await act(operator);
  } finally {
    await operator.close();
  }
}
