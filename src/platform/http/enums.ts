import { z } from 'zod';
import { errorRegistry } from '../errors/errors.ts';
import { developmentErrors } from '../errors/development-errors.ts';

/** An enum of the OpenAPI document: component `id`, with one sentence for each value. */
export function enumSchema<const Values extends readonly [string, ...string[]]>(
  id: string,
  values: Values,
  meanings: Readonly<Record<Values[number], string>>,
) {
  return z.enum(values).meta({ id, description: sentences(values, meanings).join('\n') });
}

/** As `enumSchema`, for values to which a deployment can add; `others` says which. */
export function openEnumSchema<const Values extends readonly string[]>(
  id: string,
  values: Values,
  meanings: Readonly<Record<Values[number], string>>,
  others: string,
) {
  return z.string().meta({ id, description: [...sentences(values, meanings), `- ${others}`].join('\n') });
}

function sentences<Value extends string>(
  values: readonly Value[],
  meanings: Readonly<Record<Value, string>>,
): string[] {
  return values.map((value) => `- \`${value}\`: ${meanings[value]}`);
}

export const RefusalCode = z.enum(Object.keys(errorRegistry)).meta({
  id: 'ErrorCode',
  description: '`x-error-codes` lists the type, HTTP status and message of each code, and whether a retry can help',
});

/** Takes the codes of development out of the JSON Schema of the error codes; leaves every other schema as it is. */
export function omitDevelopmentCodes(schema: unknown, jsonSchema: { enum?: unknown[] | undefined }): void {
  if (schema !== RefusalCode) return;
  jsonSchema.enum = jsonSchema.enum?.filter((code) => !(String(code) in developmentErrors));
}
