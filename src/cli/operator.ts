import { type Operator, openOperator } from "#server/operator.ts";

/** Runs an operator's command on the database of DATABASE_URL, beside any server that uses it. */
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
