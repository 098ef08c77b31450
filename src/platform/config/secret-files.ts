import { readFileSync } from 'node:fs';

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that hold a secret. Each can be given by a file instead, which `<variable>_FILE` names. */
export const secretVariables = [
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'LEDGER_PROJECT_ID',
  'TEMPORAL_API_KEY',
  'ENCRYPTION_KEY',
  'ENCRYPTION_KEY_OTHER',
  'OPERATOR_MNEMONIC',
  'BOOTSTRAP_ADMIN_KEY',
] as const;

/**
 * The environment with the secrets that files hold, as Docker and Kubernetes mount them; a line break at the end of a file does not
 * count. Throws an Error that names the variable, never its value, when a file cannot be read or the variable itself is set too.
 */
export function withSecretFiles(environment: Environment): Environment {
  const read: Record<string, string | undefined> = { ...environment };
  for (const variable of secretVariables) {
    const named = `${variable}_FILE`;
    const file = environment[named];
    if (file === undefined || file === '') continue;
    if (environment[variable]) throw new Error(`${variable} and ${named} are both set: set only one of them`);
    read[variable] = readSecret(named, file);
    read[named] = undefined;
  }
  return read;
}

function readSecret(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`${variable} names a file that cannot be read`, { cause: error });
  }
}
