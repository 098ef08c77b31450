import { z } from 'zod';
import { errorRegistry } from '../domain/errors.ts';

/** An enum of the OpenAPI document: component `id`, with one sentence for each value. */
export function enumSchema<const Values extends readonly [string, ...string[]]>(
  id: string,
  values: Values,
  meanings: Readonly<Record<Values[number], string>>,
) {
  const lines = values.map((value: Values[number]) => `- \`${value}\`: ${meanings[value]}`);
  return z.enum(values).meta({ id, description: lines.join('\n') });
}

export const RefusalCode = z.enum(Object.keys(errorRegistry)).meta({
  id: 'ErrorCode',
  description: '`x-error-codes` lists the type, HTTP status and message of each code, and whether a retry can help',
});
