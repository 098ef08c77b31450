import { expect, test } from '@jest/globals';
import { buildBalanced } from '../../src/cardano/build/funding.ts';
import type { DraftOutput } from '../../src/cardano/build/draft.ts';
import { mergeWitnesses, readWitnessSet, witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { readNetworkState } from '../../src/cardano/ledger/network-state.ts';
import { scriptAddress } from '../../src/cardano/scripts/address.ts';
import { scriptHash } from '../../src/cardano/scripts/native-script.ts';
import { claimsScript, policyScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { ftNameHex, referenceNameHex, tokenNameHex } from '../../src/cardano/tokens/fractional-token.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { gatherClaimsOver } from '../../src/signing-policy/evidence/termination.ts';
import { cosignerStakes } from '../../src/signing-policy/evidence/execution.ts';
import { gatherSettledVault } from '../../src/signing-policy/evidence/settled-vault.ts';
import { submitTransaction } from '../../src/transactions/submit-transaction.ts';
import { findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import { getVault } from '../../src/vaults/queries/vaults.ts';
import type { Claim } from '../claims/attempt-claim.ts';
import { claimClient } from '../claims/claim-client.ts';
import { heldAt } from '../claims/vault-with-pot.ts';
import { recordTransaction } from '../governance/record-transaction.ts';
import { followerOf } from '../follower/follower-service.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

const ADA = 1_000_000n;
const POT = 90n * ADA;
/** Lies in the pot besides what holders share. */
const LENT = 2n * ADA;

/** A worker that signs what is recorded, and the reasons for which it has refused something. */
async function workerOf(service: ApiService) {
  const ledger = createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 5000 });
  const reasons: string[] = [];
  const follower = followerOf(service);
  await service.ledger.mine();
  await follower.catchUp();
  const context = {
    ...follower.context,
    keys: service.keys,
    networkState: () => readNetworkState({ ledger, networkId: 0 }),
    onSignatureRefused: (_: unknown, reason: string) => reasons.push(reason),
  };
  /** Signs and sends a transaction, in a block of its own. */
  async function send(hash: string): Promise<string | undefined> {
    const recorded = await findTransactionByHash(service.db, hash);
    if (!recorded) throw new Error('nothing is recorded');
    await submitTransaction(context, recorded, wallClock.now());
    await service.ledger.mine();
    return (await findTransactionByHash(service.db, hash))?.state;
  }
  return { context, reasons, send };
}

/** A vault whose token two workers have minted twice, with one end: its two holders have what the first mint made, and half of the second lies in the pot. */
async function vaultMintedTwice(
  service: ApiService,
  { context: { ledger, keys, networkState } }: Awaited<ReturnType<typeof workerOf>>,
) {
  const { address: creator } = newWallet();
  const holders = [newWallet(), newWallet()] as const;
  const vaultId = await createVault(service, creator);
  const { vaultKeyHash, policyKeyHash, contractAddress, name, terms } = await getVault(service.db, vaultId);
  const rows = await service.sql.run<{ index: number }>`select key_index as index from vault_keys
      where vault_id = ${vaultId}`;
  const policyKey = keys.policyKey(rows[0]?.index ?? -1);
  const { parameters, anchor } = await networkState();
  const ttlSlot = anchor.slot + 600;
  const policy = policyScript({ policyKeyHash, deadlineSlot: ttlSlot });
  const policyId = scriptHash(policy);
  const [token, reference] = [ftNameHex(tokenNameHex(name)), referenceNameHex(tokenNameHex(name))];
  const potAddress = scriptAddress(claimsScript({ vaultKeyHash }), 0);
  const half = terms.ftSupply / 2n;
  const holding = (address: string, coin: bigint, assetName: string, quantity: bigint): DraftOutput => {
    return { address, lovelace: lovelace(coin), assets: new Map([[policyId + assetName, quantity]]) };
  };
  const utxos = await ledger.utxos(keys.operator.address);
  const mint = async (place: number, kind: string, outputs: readonly DraftOutput[]) => {
    const built = buildBalanced(
      parameters,
      { ...keys.operator, utxos: utxos.slice(place, place + 1) },
      {
        outputs: [...outputs, holding(contractAddress, 2n * ADA, reference, 1n)],
        mint: {
          policy,
          quantities: new Map([
            [token, terms.ftSupply],
            [reference, 1n],
          ]),
        },
        ttlSlot,
        cosigners: [policyKeyHash],
      },
    );
    const signed = mergeWitnesses(built.cbor, readWitnessSet(witnessSetOf(built.cbor, [keys.operator, policyKey])));
    expect(await ledger.submit(signed)).toEqual({ kind: 'accepted' });
    await recordTransaction(service, vaultId, built.hash, kind);
    await service.sql.run`update chain_transactions set ttl_slot = ${ttlSlot} where hash = ${built.hash}`;
  };
  await mint(
    0,
    'mint',
    holders.map(({ address }) => holding(address, 20n * ADA, token, half)),
  );
  await mint(1, 'gather_pot', [
    holding(potAddress, POT + LENT, token, half),
    holding(newWallet().address, 2n * ADA, token, half),
  ]);
  await service.ledger.mine();
  return { vaultId, ftUnit: policyId + token, potAddress, half, holders };
}

test('a second mint of a vault, signed by another worker, lets no claim pay more than its share of the pot, nor count as the last', async () => {
  await using service = await apiService();
  const worker = await workerOf(service);
  const { vaultId, ftUnit, potAddress, half, holders } = await vaultMintedTwice(service, worker);
  await service.sql.run`update vaults
      set status = 'LOCKED', locked_at = now(), failed_because = 'liquidated', ft_unit = ${ftUnit}
      where id = ${vaultId}`;
  await service.sql.run`insert into terminations (vault_id, decided_at, claim_seconds, float_lovelace, pot_lovelace,
     circulating, claims_opened_at, claim_deadline)
     values (${vaultId}, now(), 7776000, ${LENT.toString()}, ${POT.toString()}, ${half.toString()}, now() - interval '1 h', now() + interval '90 days')`;
  const client = claimClient(service);
  const [first, second] = holders;
  const claimOf = async (wallet: typeof first): Promise<Claim> => client.signed(vaultId, wallet);

  // By these rows the first holder alone has all tokens that are left.
  const all = await claimOf(first);
  expect(BigInt(all.payoutLovelace)).toBe(POT);
  expect(await worker.send(all.transaction.hash)).toBe('failed');
  expect(worker.reasons).toEqual([`${POT} lovelace are more than the share of ${half} tokens`]);
  expect(await heldAt(service, potAddress, ftUnit)).toMatchObject({ lovelace: POT + LENT, tokens: half });
  const settled = await gatherSettledVault(worker.context, { vaultId });
  expect(await gatherClaimsOver(worker.context, settled)).toMatchObject({ circulating: 3n * half });
  const nobody = { cosigners: [], threshold: 1n };
  expect((await cosignerStakes(worker.context, settled, nobody)).supply).toBe(4n * half);

  // By all tokens that there are, both are paid the same, and what was minted once too often keeps a share.
  const count = (tokens: bigint) =>
    service.sql.query('update terminations set circulating = $2 where vault_id = $1', [vaultId, tokens.toString()]);
  await count(3n * half);
  for (const wallet of [first, second]) {
    const claim = await claimOf(wallet);
    expect(await worker.send(claim.transaction.hash)).toBe('submitted');
    await service.sql.run`update chain_transactions set state = 'final' where hash = ${claim.transaction.hash}`;
  }
  expect(worker.reasons).toHaveLength(1);
  expect(await heldAt(service, potAddress, ftUnit)).toMatchObject({ lovelace: POT / 3n + LENT, tokens: 3n * half });
});
