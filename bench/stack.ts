import { dataFolder, npmStart } from '../test/start/npm-start.ts';
import { apiClient } from '../test/stack/api-client.ts';
import { ledgerClient } from '../test/stack/ledger-client.ts';
import { TestPool } from '../test/stack/test-database.ts';

export type BenchStack = Awaited<ReturnType<typeof benchStack>>;

/** The stack as `npm start` starts it, on free ports, with its own data and without rate limits. */
export async function benchStack(environment: Readonly<Record<string, string>> = {}) {
  await using cleanup = new AsyncDisposableStack();
  const { path } = cleanup.use(await dataFolder());
  const started = npmStart(path, { LOG_LEVEL: 'warn', RATE_LIMIT_ADMIN: '1000000000', ...environment });
  cleanup.defer(async () => {
    await started.stop();
  });
  const addresses = await started.ready();
  const sql = cleanup.adopt(new TestPool({ connectionString: addresses.databaseUrl, max: 4 }), (pool) => pool.end());
  const open = cleanup.move();
  return {
    ...addresses,
    dataFolder: path,
    sql,
    api: apiClient(() => `${addresses.apiUrl}/api/v1`, addresses.adminKey),
    root: apiClient(() => addresses.apiUrl, addresses.adminKey),
    ledger: ledgerClient(addresses.ledgerUrl.replace(/\/api\/v0$/, '')),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
