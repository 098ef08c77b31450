import { scriptAddress } from '../../src/cardano/scripts/address.ts';
import { claimsScript } from '../../src/cardano/scripts/vault-scripts.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

/** What the holders of a vault that ends share, once they can claim. */
export async function openedPot({ sql }: Pick<TestStack, 'sql'>, vaultId: string) {
  const read = async () => {
    const rows = await sql.run<Record<'pot' | 'float' | 'circulating' | 'supply' | 'unit', string>>`
       select pot_lovelace as pot, float_lovelace as float, circulating, ft_supply as supply, ft_unit as unit
       from terminations join vaults on id = vault_id where vault_id = ${vaultId} and claims_opened_at is not null`;
    return rows[0] ?? null;
  };
  const found = await until(read, { what: 'the claims to open' });
  const [pot, float, circulating, supply] = [found.pot, found.float, found.circulating, found.supply].map(BigInt);
  return {
    pot: pot ?? 0n,
    float: float ?? 0n,
    circulating: circulating ?? 0n,
    supply: supply ?? 0n,
    ftUnit: found.unit,
  };
}

/** Where the pot of a vault lies. */
export async function claimsAddress({ sql }: Pick<TestStack, 'sql'>, vaultId: string): Promise<string> {
  const rows = await sql.run<{ key: string }>`select vault_key_hash as key from vaults where id = ${vaultId}`;
  return scriptAddress(claimsScript({ vaultKeyHash: rows[0]?.key ?? '' }), 0);
}
