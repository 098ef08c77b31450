import { expect, test } from '@jest/globals';
import { paymentKeyHashOf, scriptAddress } from '../../src/cardano/scripts/address.ts';
import { custodyScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { referenceOf } from '../../src/cardano/tokens/fractional-token.ts';
import { instant } from '../../src/platform/units/time.ts';
import type { RegisteredCosigners } from '../../src/vaults/rules/vault.ts';
import { readCosigners, storedCosigners, type StoredCosigners } from '../../src/platform/database/stored-json.ts';
import { expectBooks } from '../books/expect-books.ts';
import { fileStack } from '../stack/file-stack.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { planOnLedger } from './committed-plan.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { advance, createVault, readVault, waitForVaultStatus } from './vault-requests.ts';

const DAY = 86_400;

const stackOfFile = fileStack();

interface CustodyRow {
  readonly key: string;
  readonly cosigners: StoredCosigners;
  readonly address: string;
}

/** The custody of a vault, as its row has it. */
async function custodyOf({ sql }: TestStack, vaultId: string): Promise<CustodyRow> {
  const columns = 'vault_key_hash as key, custody as cosigners, contract_address as address';
  const { rows } = await sql.query<CustodyRow>(`select ${columns} from vaults where id = $1`, [vaultId]);
  if (!rows[0]) throw new Error('the vault does not exist');
  return rows[0];
}

/** Names other cosigners, or none, in the row of a vault; returns the address that follows from them. */
async function nameCosigners(
  { sql }: TestStack,
  {
    vaultId,
    key,
    cosigners,
  }: { readonly vaultId: string; readonly key: string; readonly cosigners: RegisteredCosigners | null },
): Promise<string> {
  const address = scriptAddress(custodyScript({ vaultKeyHash: key, cosigners }), 0);
  const stored = cosigners && JSON.stringify(storedCosigners(cosigners));
  await sql.run`update vaults set custody = ${stored}, contract_address = ${address} where id = ${vaultId}`;
  return address;
}

test('a vault settles into the custody with which it was created: the worker signs nothing for other cosigners that its row names', async () => {
  const stack = stackOfFile();
  const { sql } = stack;
  const [contributor, investor, cosigner, thief] = [person(881), person(882), person(883), person(884)];
  const { governance_settings: governance } = vaultBody(contributor.address);
  const vaultId = await createVault(stack, contributor.address, {
    asset: { asset_window_duration: '01:00:00' },
    investment: { investment_window_duration: '24h' },
    vault: { governance_settings: { ...governance, cosigners: [cosigner.address], required_cosigners: 1 } },
  });
  const policyId = await fundWallet(stack, contributor, { ada: 200, assets: { Jetty: 1 } });
  await fundWallet(stack, investor, { ada: 1000 });
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const deposits = [
    await contribute(stack, vaultId, contributor, { policyId, name: 'Jetty' }),
    await invest(stack, vaultId, investor, 300_000_000),
  ];
  for (const { hash } of deposits) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  const own = await custodyOf(stack, vaultId);
  const { key } = own;
  const cosigners = readCosigners(own.cosigners);
  const alone = { from: instant(0), fromSlot: 1 };
  const ofThief = { required: 1, keyHashes: [paymentKeyHashOf(thief.address)], alone };
  const forged = await nameCosigners(stack, { vaultId, key, cosigners: ofThief });

  await advance(stack, DAY);
  const mints = async () => {
    const query = `select state, error, signed_cbor as signed from chain_transactions where vault_id = $1 and kind = 'mint'`;
    return (await sql.query<{ state: string; error: string }>(query, [vaultId])).rows;
  };
  const refused = {
    state: 'failed',
    signed: null,
    error: `the platform refused to sign it: its vault was created with the custody ${own.address}`,
  };
  await until(async () => (await mints()).some(({ state }) => state === 'failed'), { what: 'the mint to be refused' });
  expect((await mints())[0]).toMatchObject(refused);
  expect((await readVault(stack, vaultId)).holds).toMatchObject([{ reason: 'unjustified_transaction' }]);
  const counted = 'unjustified_transactions_total{kind="mint"}';
  expect(valueOf(await readMetrics(stack.metricsUrl('worker')), counted)).toBeGreaterThan(0);
  expect(await holdings(stack, forged)).toEqual(new Map());

  // The row as it was, but with other terms.
  await nameCosigners(stack, { vaultId, key, cosigners });
  const setSupply = (supply: string) =>
    sql.query('update vaults set ft_decimals = $2 where id = $1', [vaultId, supply]);
  await setSupply('2');
  await advance(stack, 3600);
  const otherTerms = 'the platform refused to sign it: its vault was created with other terms';
  await until(async () => (await mints()).some(({ error }) => error === otherTerms), {
    what: 'it to be refused again',
  });
  await setSupply('6');
  await advance(stack, 3600);
  const vault = await waitForVaultStatus(stack, vaultId, 'LOCKED');
  const token = vault.fractionalization.tokenAddress;
  const custody = await holdings(stack, own.address);
  expect(custody.get(policyId + Buffer.from('Jetty').toString('hex'))).toBe(1n);
  expect(custody.get(referenceOf(token))).toBe(1n);
  expect(await holdings(stack, forged)).toEqual(new Map());
  await expectBooks(stack, vaultId);

  // As before each delivery, and whatever else comes into custody.
  const planFromLedger = () => planOnLedger(stack, vaultId);
  const refusal = (reason: unknown) => ({ code: 'TRANSACTION_NOT_JUSTIFIED', details: { reason } });
  expect((await planFromLedger()).shares.size).toBe(2);
  for (const other of [ofThief, { ...cosigners, alone }, null]) {
    const address = await nameCosigners(stack, { vaultId, key, cosigners: other });
    await expect(planFromLedger()).rejects.toMatchObject(refusal('its mint has paid another custody'));
    // A rotation to which nobody has agreed changes nothing of that.
    const former = { vaultKeyHash: key, cosigners: own.cosigners, contractAddress: own.address };
    const setFormer = (some: readonly object[]) =>
      sql.query('update vaults set former_custodies = $2 where id = $1', [vaultId, JSON.stringify(some)]);
    await setFormer([former]);
    await expect(planFromLedger()).rejects.toMatchObject(refusal(`its custody ${address} is of no rotation`));
    await setFormer([]);
  }
  await nameCosigners(stack, { vaultId, key, cosigners });
  expect((await planFromLedger()).shares.size).toBe(2);
});
