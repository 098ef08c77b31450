import { parseApiKey } from '../src/access/api-keys.ts';
import type { BenchStack } from './stack.ts';
import { stranger } from './stranger.ts';

/** The headers of a caller. */
export type Reader = Readonly<Record<string, string>>;

/** Wallets that have logged in and take part in no vault. */
export async function walletReaders(stack: BenchStack, count: number): Promise<Reader[]> {
  // The key of the development stack has a limit of its own.
  const id = parseApiKey(stack.frontendKey)?.id;
  const { rowCount } = await stack.sql.query('update api_keys set rate_limit = 1000000000 where id = $1', [id]);
  if (rowCount !== 1) throw new Error('the frontend key was not found');
  const readers: Reader[] = [];
  for (let number = 0; number < count; number += 1) {
    const { key, headers } = await stranger(stack);
    readers.push({ 'X-API-Key': key, ...headers });
  }
  return readers;
}
