import { expect, test } from '@jest/globals';
import { readPaymentAddress, scriptAddress } from '../../src/cardano/scripts/address.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { loadWorkerConfig } from '../../src/platform/config/worker.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { openWorkerContext } from '../../worker/worker-context.ts';
import { keys, vault, wallet } from '../chain/sample-context.ts';

const mnemonic = 'test walk nut penalty hip pave soap entry language right filter choice';

/** The liquidity address that a worker on a test network logs when it starts. */
async function startedWith(liquidityAddress: string): Promise<string | undefined> {
  const config = loadWorkerConfig({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    NETWORK: 'preview',
    ENVIRONMENT: 'development',
    LEDGER_URL: 'http://127.0.0.1:1',
    PRICE_FEED_URL: 'http://127.0.0.1:1',
    ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    OPERATOR_MNEMONIC: mnemonic,
    LIQUIDITY_ADDRESS: liquidityAddress,
  });
  const context = openWorkerContext(config, createLogger({ service: 'test', level: 'silent' }), createMetrics());
  await context.close();
  return context.liquidityAddress;
}

test.each([
  ['a text', 'our treasury'],
  ['a mistyped address', wallet(1).address.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))],
  ['an address of mainnet', deriveKeys(mnemonic, 1).operator.address],
  ['a stake address', 'stake_test1uqehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gssrtvn'],
])('a worker whose liquidity address is %s does not start and names the variable', async (_what, address) => {
  await expect(startedWith(address)).rejects.toThrow(
    'LIQUIDITY_ADDRESS: must be a base or enterprise address of preview',
  );
});

test('the liquidity address can be a key or a script of the network', async () => {
  for (const address of [wallet(1).address, keys.operator.address, scriptAddress(vault.custody, 0)])
    expect(await startedWith(address)).toBe(address);
  expect(await startedWith('')).toBeUndefined();
  expect(readPaymentAddress(scriptAddress(vault.custody, 1), 1)).toBeDefined();
});
