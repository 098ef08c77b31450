/** `npm run generate:api`: writes what client/ has from docs/openapi.json. With `--check` it writes nothing and fails unless that is current. */
import { readFile, writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';

type Document = OpenAPI3 & {
  readonly 'x-error-codes': Readonly<Record<string, { readonly retryable: boolean }>>;
};

const HEADER = '// Made from docs/openapi.json by `npm run generate:api`.\n';

async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const document = JSON.parse(await readFile('docs/openapi.json', 'utf8')) as Document;
  const codes = Object.entries(document['x-error-codes']).filter(([, { retryable }]) => retryable);
  const lines = codes.map(([code]) => `  '${code}',\n`).join('');
  // A request may leave out what has a default.
  const types = await openapiTypescript(document, { defaultNonNullable: false });
  return new Map([
    ['client/src/schema.ts', HEADER + astToString(types)],
    [
      'client/src/retryable-codes.ts',
      `${HEADER}/** Codes of errors after which the same request may succeed. */\n` +
        `export const retryableCodes: ReadonlySet<string> = new Set([\n${lines}]);\n`,
    ],
  ]);
}

const isCheck = process.argv.includes('--check');
for (const [path, text] of await generatedFiles()) {
  if (!isCheck) await writeFile(path, text);
  else if ((await readFile(path, 'utf8')) !== text) {
    process.stdout.write(`${path} is not made from the current docs/openapi.json: npm run generate:api\n`);
    process.exitCode = 1;
  }
}
