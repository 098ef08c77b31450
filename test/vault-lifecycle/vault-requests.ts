import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';

interface CreatedVault {
  readonly vault_id: string;
  readonly transaction: { readonly tx_hash: string; readonly status: string };
}

export interface VaultRead {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
  readonly contractAddress: string;
  readonly assetWindow: { readonly status: string; readonly startTime: string; readonly endTime: string };
  readonly investmentWindow: { readonly status: string; readonly startTime: string; readonly endTime: string };
  readonly fractionalization: { readonly tokenAddress: string; readonly tokenSupplyBaseUnits: string };
  readonly holds: readonly { readonly reason: string; readonly since: string }[];
  readonly termination: { readonly reason: string | null; readonly steps: readonly object[] };
}

type Body = ReturnType<typeof vaultBody>;

/** Fields that replace those of `vaultBody`. */
export interface VaultOverrides {
  readonly asset?: Partial<Body['asset_settings']> & Record<string, unknown>;
  readonly investment?: Partial<Body['investment_settings']> & Record<string, unknown>;
  readonly vault?: Record<string, unknown>;
}

/** Creates a vault and returns its id. */
export async function createVault(
  { api }: Pick<TestStack, 'api'>,
  admin: string,
  { asset, investment, vault }: VaultOverrides = {},
): Promise<string> {
  const body = vaultBody(admin);
  const answer = await api.post<CreatedVault>('/vaults', {
    ...body,
    asset_settings: { ...body.asset_settings, ...asset },
    investment_settings: { ...body.investment_settings, ...investment },
    ...vault,
  });
  if (answer.status !== 201) throw new Error(`the vault was not created: ${JSON.stringify(answer.body)}`);
  return answer.body.vault_id;
}

export async function readVault({ api }: Pick<TestStack, 'api'>, vaultId: string): Promise<VaultRead> {
  const { status, body } = await api.get<{ data: VaultRead }>(`/vaults/${vaultId}`);
  if (status !== 200) throw new Error(`the vault cannot be read: ${JSON.stringify(body)}`);
  return body.data;
}

/** Waits until a vault has a status. */
export async function waitForVaultStatus(
  stack: Pick<TestStack, 'api'>,
  vaultId: string,
  status: string,
): Promise<VaultRead> {
  return until(
    async () => {
      const vault = await readVault(stack, vaultId);
      return vault.status === status ? vault : null;
    },
    { what: `vault ${vaultId} to be ${status}` },
  );
}

/** Advances the clock of the stack. */
export async function advance({ root }: Pick<TestStack, 'root'>, seconds: number): Promise<void> {
  const { status, body } = await root.post('/dev/clock/advance', { seconds });
  if (status !== 200) throw new Error(`the clock did not move: ${JSON.stringify(body)}`);
}

/** Advances the clock of the stack to `secondsBefore` seconds before `end`. */
export async function advanceToBefore(
  stack: Pick<TestStack, 'root' | 'ledger'>,
  secondsBefore: number,
  end: string | Date,
): Promise<void> {
  const { nowMs } = await stack.ledger.clock();
  await advance(stack, Math.floor((new Date(end).getTime() - nowMs) / 1000) - secondsBefore);
}

/** The types of a vault's events about holds. */
export async function holdEvents({ sql }: TestStack, vaultId: string): Promise<string[]> {
  const rows = await sql.run<{ type: string }>`select type from outbox
      where vault_id = ${vaultId} and type in ('VAULT_HELD', 'VAULT_RELEASED') order by recorded`;
  return rows.map(({ type }) => type);
}
