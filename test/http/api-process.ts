import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { testLog } from '../stack/test-log.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Nothing answers there: without other variables such a process only needs Postgres. */
const NOWHERE = 'http://127.0.0.1:9';

export type ApiProcess = Awaited<ReturnType<typeof startApiProcess>>;

/** An api as a process of its own, as production starts it. */
export async function startApiProcess(variables: Readonly<Record<string, string>> & { readonly DATABASE_URL: string }) {
  const environment = {
    ENVIRONMENT: 'development',
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    NETWORK: 'preview',
    LEDGER_URL: NOWHERE,
    PRICE_FEED_URL: NOWHERE,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    PORT: '0',
    METRICS_PORT: '0',
    ...variables,
  };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const log = testLog('api-process');
  const ready = Promise.withResolvers<{ url: string }>();
  createInterface(child.stdout).on('line', (line) => {
    log.write(`${line}\n`);
    if (line.startsWith('{"ready":true')) ready.resolve(JSON.parse(line) as { url: string });
  });
  const ended = exit.then(() => Promise.reject(new Error('the api ended')));
  ended.catch(() => undefined);
  const { url } = await Promise.race([ready.promise, ended]);
  const kill = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  return { url, kill, [Symbol.asyncDispose]: kill };
}
