import { Client, Connection } from '@temporalio/client';
import { depositAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import { scriptAddress } from '../../src/cardano/scripts/address.ts';
import { liquidityScript } from '../../src/cardano/scripts/vault-scripts.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

export interface UnsolicitedOutput {
  readonly txHash: string;
  readonly index: number;
  readonly address: string;
  readonly place: string;
  readonly depositor: string | null;
  readonly lovelace: string;
  readonly assets: readonly { readonly unit: string; readonly quantity: string }[];
  readonly status: string;
  readonly returnable: boolean;
  readonly returnTransactionHash: string | null;
}

interface ListResponse {
  readonly data: { readonly outputs: readonly UnsolicitedOutput[] };
  readonly metadata: { readonly pagination: { readonly total: number } };
}

let scans = 0;

/** Runs the scan for unsolicited outputs now; its Schedule runs it every half hour. */
export async function scanUnsolicited({
  temporal: { address, namespace },
}: Pick<TestStack, 'temporal'>): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    scans += 1;
    await client.workflow.execute('unsolicitedScan', { taskQueue: 'vaults', workflowId: `scan-${scans}` });
  } finally {
    await connection.close();
  }
}

export async function listUnsolicited(
  { api }: Pick<TestStack, 'api'>,
  vaultId: string,
): Promise<readonly UnsolicitedOutput[]> {
  const { status, body } = await api.get<ListResponse>(`/vaults/${vaultId}/unsolicited`);
  if (status !== 200) throw new Error(`the list cannot be read: ${JSON.stringify(body)}`);
  return body.data.outputs;
}

/** Returns the addresses of a vault by place, with the deposit address of this owner. */
export async function addressesOf({ sql }: Pick<TestStack, 'sql'>, vaultId: string, ownerKeyHash: string) {
  const [{ custody, settlement, key, slot } = { custody: '', settlement: '', key: '', slot: '' }] = await sql.run<
    Record<'custody' | 'settlement' | 'key' | 'slot', string>
  >`
      select contract_address as custody, settlement_address as settlement, vault_key_hash as key,
      settles_by_slot as slot
      from vaults where id = ${vaultId}`;
  const keys = { vaultKeyHash: key, settlementKeyHash: key, settlesBySlot: Number(slot) };
  return {
    custody,
    settlement,
    liquidity: scriptAddress(liquidityScript(keys), 0),
    deposit: depositAddressOf(keys, ownerKeyHash, 0).address,
  };
}

/** Sends 20 ADA and 7 units of a new token to an address; returns the hash once the transaction is five blocks deep. */
export async function sendUnsolicited(stack: TestStack, address: string): Promise<string> {
  const assets = [{ assetNameHex: Buffer.from('Stray').toString('hex'), quantity: '7' }];
  const { txHash } = await stack.ledger.faucet({ address, lovelace: '20000000', assets });
  await waitUntilDeep(stack, txHash);
  return txHash;
}

/** Waits until a transaction, of the platform or not, is five blocks deep. */
export async function waitUntilDeep({ ledger }: TestStack, hash: string): Promise<void> {
  const depth = async () => {
    const [made, tip] = await Promise.all([
      ledger.query<{ block_height: number }>(`/txs/${hash}`),
      ledger.query<{ height: number }>('/blocks/latest'),
    ]);
    return made && tip ? tip.height - made.block_height + 1 : 0;
  };
  await until(async () => (await depth()) >= 5, { what: `${hash} to be deep enough` });
}
