import { expect, test } from '@jest/globals';
import { paymentKeyHashOf } from '../../src/cardano/scripts/address.ts';
import { stakeAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { fundWallet, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { execute, executeBody, freezeAndSign, governedVault, passedProposal } from './execution-requests.ts';

const ADA = 1_000_000;
/** So many looks at what cosigners have staked show nothing. */
const HIDDEN = 3;

const stackOfFile = fileStack({ lyingLedger: true });

/** A sale that has passed and that its cosigners and the buyer have signed. */
async function saleSignedByAll(stack: TestStack, position: number, nft: string) {
  const governed = await governedVault(stack, position, { nft });
  const { vaultId, villa, contributor, investor, partner: buyer } = governed;
  await fundWallet(stack, buyer, { ada: 1000 });
  const name = { policy_id: villa.policyId, asset_name: nft };
  const terms = { price: 600 * ADA, buyer_address: buyer.address };
  const details = { action_type: 'sell_asset', affected_assets: [name], terms };
  const id = await passedProposal(stack, governed, { details });
  const body = executeBody(buyer, [contributor, investor], {
    type: 'sell_asset',
    details: { ...name, price: 600 * ADA },
  });
  const { hash } = await freezeAndSign(stack, id, body, [contributor, investor, buyer]);
  return { vaultId, id, body, hash };
}

test('an execution is not signed when its cosigners have staked in rows alone', async () => {
  const stack = stackOfFile();
  const { vaultId, id, body, hash } = await saleSignedByAll(stack, 141, 'Keep');
  // As forged rows would, they name scripts at which nothing lies.
  await stack.sql.run`update stakes set release_slot = release_slot + 1 where vault_id = ${vaultId}`;
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  const refusals = `select error from chain_transactions where hash = $1 and state = 'failed'`;
  const refused = async () => (await stack.sql.query<{ error: string }>(refusals, [hash])).rows[0]?.error;
  expect(await until(refused, { what: 'the execution to be refused' })).toMatch(/0 of 2 cosigners have signed it/);
});

/** Has the transactions of the stakes say to which scripts they came, as those of real stakes do; returns these. */
async function recordScripts({ sql }: TestStack, vaultId: string): Promise<string[]> {
  const rows = await sql.run<{ id: string; wallet: string; vaultKeyHash: string; releaseSlot: string }>`
       select stake_transaction_id as id, wallet, vault_key_hash as "vaultKeyHash", release_slot as "releaseSlot"
       from stakes where vault_id = ${vaultId} and vault_key_hash is not null`;
  const addresses = [];
  for (const { id, wallet, vaultKeyHash, releaseSlot } of rows) {
    const script = { ownerKeyHash: paymentKeyHashOf(wallet), releaseSlot: Number(releaseSlot) };
    const { address } = stakeAddressOf({ vaultKeyHash }, script, 0);
    await sql.run`update chain_transactions
        set outputs = jsonb_set(outputs, '{0,address}', ${JSON.stringify(address)}) where id = ${id}`;
    addresses.push(address);
  }
  return addresses;
}

test('an execution waits for a backend that hides what its cosigners have staked', async () => {
  const stack = stackOfFile();
  const { vaultId, id, body, hash } = await saleSignedByAll(stack, 151, 'Moor');
  const addresses = await recordScripts(stack, vaultId);
  let hidden = 0;
  const isHidden = (path: string) => addresses.some((address) => path.includes(address)) && (hidden += 1) <= HIDDEN;
  stack.liar.lie(({ path }) => (isHidden(path) ? 'lie' : 'honest'));
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  await waitForTransaction(stack, hash, ['confirmed', 'final']);
  expect(hidden).toBeGreaterThan(HIDDEN);
  stack.liar.beHonest();
});
