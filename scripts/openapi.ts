/** `npm run generate:api`: writes docs/openapi.json. It refuses changes that break clients unless `--breaking` is given. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { apiVersion } from '../src/versions/rules.ts';
import { apiRoutes } from '../src/routes.ts';
import { openApiDocument } from '../src/platform/openapi/document.ts';
import { withContracts } from '../src/platform/openapi/route.ts';
import { type ApiDocument, breakingChanges } from './openapi-changes.ts';

export const openApiFile = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));

/** The document that the service publishes, as it is committed. */
export function openApiText(): string {
  const version = apiVersion.slice(1);
  return `${JSON.stringify(openApiDocument(withContracts(apiRoutes, version), version), null, 1)}\n`;
}

/** The changes from the committed document to the present one that break clients. */
export async function changesSinceCommit(): Promise<string[]> {
  const committed = JSON.parse(await readFile(openApiFile, 'utf8')) as ApiDocument;
  return breakingChanges(committed, JSON.parse(openApiText()) as ApiDocument);
}

if (import.meta.main) {
  const changes = process.argv.includes('--breaking') ? [] : await changesSinceCommit();
  if (changes.length === 0) await writeFile(openApiFile, openApiText());
  for (const change of changes) process.stdout.write(`breaks clients: ${change}\n`);
  process.exitCode = changes.length === 0 ? 0 : 1;
}
