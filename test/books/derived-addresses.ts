import { parseWalletAddress, scriptAddress } from '../../src/cardano/scripts/address.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import {
  claimsScript,
  custodyScript,
  depositScript,
  liquidityScript,
  settlementScript,
  stakeScript,
} from '../../src/cardano/scripts/vault-scripts.ts';
import { canaries } from '../secrets/canaries.ts';
import type { TestStack } from '../stack/test-stack.ts';

interface Owners {
  readonly indexes: readonly number[];
  readonly deadline: string;
  readonly depositors: readonly string[];
  readonly stakes: readonly { readonly wallet: string; readonly slot: number }[];
}

const keyOf = (wallet: string) => parseWalletAddress(wallet, 0).paymentKeyHash;

/**
 * Every address at which a vault can have anything, computed from its keys, its owners and the script of its custody: an address that
 * the service forgets to list is among them.
 */
export async function derivedAddresses({ api, sql }: Pick<TestStack, 'api' | 'sql'>, vaultId: string) {
  const [owners] = await sql.run<Owners>`select settles_by_slot as deadline,
       array(select key_index from vault_keys where vault_id = id order by key_index) as indexes,
       array(select added_by from assets where vault_id = vaults.id
         union select wallet from investments where vault_id = vaults.id) as depositors,
       (select coalesce(json_agg(json_build_object('wallet', wallet, 'slot', release_slot)), '[]')
         from stakes where vault_id = vaults.id) as stakes
     from vaults where id = ${vaultId}`;
  if (!owners) throw new Error(`there is no vault ${vaultId}`);
  const derived = deriveKeys(canaries.operatorMnemonic, 0);
  const keys = owners.indexes.map((index) => derived.vaultKey(index).keyHash);
  const scripts = keys.flatMap((vaultKeyHash) => [
    custodyScript({ vaultKeyHash, cosigners: null }),
    ...[settlementScript, liquidityScript, claimsScript].map((script) => script({ vaultKeyHash })),
    ...owners.depositors.map((wallet) =>
      depositScript({ vaultKeyHash, ownerKeyHash: keyOf(wallet), deadlineSlot: Number(owners.deadline) }),
    ),
    ...owners.stakes.map(({ wallet, slot }) =>
      stakeScript({ vaultKeyHash, ownerKeyHash: keyOf(wallet), releaseSlot: slot }),
    ),
  ]);
  const { body } = await api.get<{ data: { custodyScript: { address: string } } }>(`/vaults/${vaultId}`);
  return [...scripts.map((script) => scriptAddress(script, 0)), body.data.custodyScript.address];
}
