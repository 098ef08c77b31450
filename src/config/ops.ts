import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { withPassword } from './database-url.ts';
import { type Environment, optionalText, readVariables } from './environment.ts';

const opsVariables = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_PASSWORD: optionalText,
});

/** The database of `npm run ops`: of the environment, or of the development stack that runs in DATA_DIR. Throws an Error when there is neither. */
export function loadOpsDatabase(environment: Environment = process.env): string {
  const variables = readVariables(opsVariables, { DATABASE_URL: developmentDatabase(environment), ...environment });
  return withPassword(variables.DATABASE_URL, variables.DATABASE_PASSWORD);
}

function developmentDatabase({ DATA_DIR: folder = '.data' }: Environment): string | undefined {
  const file = join(folder, 'stack.json');
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly databaseUrl?: string }).databaseUrl;
}
