import { buildBalanced } from '../../src/cardano/build/funding.ts';
import { stakeDeposit } from '../../src/cardano/build/staking.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { paymentKeyHashOf } from '../../src/cardano/scripts/address.ts';
import { stakeAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import type { Person } from '../vault-lifecycle/participants.ts';

const YEAR_OF_SLOTS = 365 * 86_400;

/**
 * Puts a tenth of a vault's tokens into the stake script of each staker, from the wallet of `payer`, and has their seeded rows say which: before
 * the worker signs what they cosign, it looks there. The rows name no address, so that nobody counts what was not staked by the service.
 */
export async function stakeOnLedger(
  stack: Pick<TestStack, 'ledger' | 'sql'>,
  vaultId: string,
  stakers: readonly Person[],
  payer: Person,
): Promise<void> {
  const [vault] = await stack.sql.run<{ vaultKeyHash: string; ftUnit: string; supply: string }>`
      select vault_key_hash as "vaultKeyHash", ft_unit as "ftUnit", ft_supply as supply from vaults
      where id = ${vaultId}`;
  if (!vault) throw new Error('there is no such vault');
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 5000 });
  const [utxos, parameters, tip] = await Promise.all([
    ledger.utxos(payer.address),
    ledger.protocolParameters(),
    ledger.slotAnchor(),
  ]);
  const releaseSlot = tip.slot + YEAR_OF_SLOTS;
  const scripts = stakers.map(({ address }) =>
    stakeAddressOf(vault, { ownerKeyHash: paymentKeyHashOf(address), releaseSlot }, 0),
  );
  const assets = new Map([[vault.ftUnit, BigInt(vault.supply) / 10n]]);
  const built = buildBalanced(
    parameters,
    { address: payer.address, keyHash: paymentKeyHashOf(payer.address), utxos },
    {
      outputs: scripts.map(({ address }) => ({ address, lovelace: stakeDeposit(parameters), assets })),
      ttlSlot: tip.slot + 3600,
    },
  );
  await submitDirectly(stack, payer, built.cbor);
  await until(() => stack.ledger.query(`/txs/${built.hash}`), { what: 'the stakes to be in a block' });
  await stack.sql.run`update stakes set release_slot = ${releaseSlot}, vault_key_hash = ${vault.vaultKeyHash}
      where vault_id = ${vaultId} and wallet = any(${stakers.map(({ address }) => address)})`;
}
