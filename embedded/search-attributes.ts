import type { Connection } from '@temporalio/client';
import { searchAttributes } from '../src/platform/temporal/search-attributes.ts';
import { eventually } from './eventually.ts';

/** Numbers of temporal.api.enums.v1.IndexedValueType. */
const indexedTypes = { TEXT: 1, KEYWORD: 2, INT: 3, DOUBLE: 4, BOOL: 5, DATETIME: 6, KEYWORD_LIST: 7 } as const;

const typeNames = {
  TEXT: 'Text',
  KEYWORD: 'Keyword',
  INT: 'Int',
  DOUBLE: 'Double',
  BOOL: 'Bool',
  DATETIME: 'Datetime',
  KEYWORD_LIST: 'KeywordList',
} as const;

/** Flags that register the search attributes in the namespaces of a new development server; an existing database file ignores them. */
export function searchAttributeFlags(): string[] {
  return Object.values(searchAttributes).flatMap(({ name, type }) => [
    '--search-attribute',
    `${name}=${typeNames[type]}`,
  ]);
}

/** Registers missing search attributes in a namespace and waits until the server accepts them. */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const missing = await missingAttributes(connection, namespace);
  if (Object.keys(missing).length === 0) return;
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
  await eventually(
    `search attributes of ${namespace}`,
    async () => {
      const still = Object.keys(await missingAttributes(connection, namespace));
      if (still.length > 0) throw new Error(`still missing: ${still.join(', ')}`);
    },
    30_000,
  );
}

async function missingAttributes(connection: Connection, namespace: string): Promise<Record<string, number>> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const wanted = Object.values(searchAttributes).filter(({ name }) => !(name in customAttributes));
  return Object.fromEntries(wanted.map(({ name, type }) => [name, indexedTypes[type]]));
}
