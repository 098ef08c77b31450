import { expect, test } from '@jest/globals';
import { startLedger } from '../../embedded/ledger/server.ts';
import { viewTransaction } from '../../embedded/ledger/transaction-view.ts';
import { blake2b256 } from '../../src/cardano/blake2b.ts';
import { buildFtMint } from '../../src/cardano/build/settlement.ts';
import { context, operator, ttlSlot, vault } from '../chain/sample-context.ts';
import { until } from '../stack/until.ts';
import { openLedger } from './chain.ts';
import { funded, newWallet, signed } from './transactions.ts';

test('the size of a transaction is without the byte of its validity', async () => {
  await using ledger = await openLedger();
  const wallet = newWallet();
  const coin = await funded(ledger, wallet.address);
  const to = [{ address: wallet.address, lovelace: coin.lovelace - 200_000n }];
  const { hash, cbor } = signed({ from: [coin], to, signers: [wallet.key], fee: 200_000n });
  await ledger.submit(cbor);
  await ledger.mine();
  expect((await ledger.api(`/txs/${hash}`)).body).toMatchObject({ size: cbor.length - 1 });
});

test('an inline datum is shown with its hash', () => {
  const built = buildFtMint(context, {
    operator: operator(200_000_000n),
    policy: vault.policy,
    policyKeyHash: vault.policyKey.keyHash,
    ft: { name: 'Loft', ticker: 'LOFT', decimals: 6, nameHex: '4c6f6674', supply: 1n },
    settlementAddress: vault.settlementAddress,
    custodyAddress: vault.custodyAddress,
    plan: { terms: 'ab'.repeat(32), root: 'cd'.repeat(32), shares: 1 },
    ttlSlot,
  });
  const [tokens, reference] = viewTransaction(Buffer.from(built.cbor, 'hex')).outputs;
  const hash = blake2b256(Buffer.from(reference?.inlineDatum ?? '', 'hex'));
  expect(tokens).toMatchObject({ inlineDatum: null, dataHash: null });
  expect(reference?.dataHash).toBe(Buffer.from(hash).toString('hex'));
});

test('the parameters have the cost models of every Plutus version', async () => {
  await using ledger = await openLedger();
  const { body } = await ledger.api('/epochs/latest/parameters');
  const { cost_models_raw: models } = body as { cost_models_raw: Record<string, number[]> };
  expect(Object.entries(models).map(([name, costs]) => [name, costs.length])).toEqual([
    ['PlutusV1', 166],
    ['PlutusV2', 175],
    ['PlutusV3', 297],
  ]);
});

test('each block of a ledger with time for it has a slot of its own', async () => {
  await using ledger = await startLedger({ blockMs: 1000 });
  const get = async (path: string) => (await fetch(`${ledger.url}${path}`)).json();
  await fetch(`${ledger.url}/dev/mine`, { method: 'POST' });
  const last = await until(
    async () => {
      const tip = (await get('/api/v0/blocks/latest')) as { height: number };
      return tip.height >= 3 ? tip : null;
    },
    { what: 'three blocks' },
  );
  const heights = Array.from({ length: last.height + 1 }, (_, height) => height);
  const blocks = (await Promise.all(heights.map((height) => get(`/api/v0/blocks/${height}`)))) as { slot: number }[];
  expect(new Set(blocks.map(({ slot }) => slot)).size).toBe(blocks.length);
});
