import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Environment, withSecretFiles } from './secret-files.ts';

export function integer(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
}
export const port = integer(0, 65_535);
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** The bytes of an AES-256 key. */
export const encryptionKey = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64');
export const optionalText = z.string().min(1).optional();
/** The content of a file that the variable names. */
export const fileContent = z.string().transform((file, context): Buffer => {
  try {
    return readFileSync(file);
  } catch {
    context.addIssue('names a file that cannot be read');
    return z.NEVER;
  }
});

/**
 * Reads variables from the environment, secrets also from files; an empty one counts as not set. Throws an Error that names every
 * missing or invalid variable, never its value.
 */
export function readVariables<Variables>(schema: z.ZodType<Variables>, environment: Environment): Variables {
  const given = Object.fromEntries(
    Object.entries(withSecretFiles(environment)).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(
    parsed.error.issues.map((issue) => {
      const [variable, ...inside] = issue.path.map(String);
      if (variable === undefined || given[variable] === undefined) return `${variable ?? 'The environment'} is not set`;
      return `${[variable, ...inside].join('.')}: ${issue.message}`;
    }),
  );
}

/** The error that stops a start. Each problem names its variable, never its value. */
export class ConfigurationError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}
