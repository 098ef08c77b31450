import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { fundWallet, type Person, person } from '../vault-lifecycle/participants.ts';
import { createVault, readVault, waitForVaultStatus } from '../vault-lifecycle/vault-requests.ts';

/** A step takes a few seconds; on a machine that others keep busy, with a ledger that lies and hangs, minutes. */
const PATIENCE_MS = 900_000;

/** What a life needs of a stack. */
export type LifeStack = Pick<TestStack, 'api' | 'root' | 'ledger' | 'sql' | 'temporal'>;

/** A vault whose people have what they will need, so that nothing else is sent to the ledger while it lives. */
export interface Cast {
  readonly contributor: Person;
  readonly investor: Person;
  readonly buyer: Person;
  /** Gets what is left of the vault. */
  readonly heir: Person;
  readonly policyId: string;
  /** Names of its NFTs: one is sold, one is taken back, one is left when the vault ends. */
  readonly sold: string;
  readonly removed: string;
  readonly left: string;
}

export interface Life extends Cast {
  readonly vaultId: string;
  /** A vault beside it that fails, because nobody contributes to it. */
  readonly failingId: string;
}

/** Funds the persons of a life from this number on. No other vault of the stack may hold NFTs of this name. */
export async function cast(stack: Pick<TestStack, 'ledger'>, first: number, name: string): Promise<Cast> {
  const [contributor, investor, buyer, heir] = [person(first), person(first + 1), person(first + 2), person(first + 3)];
  const [sold, removed, left] = [`${name} sold`, `${name} kept`, `${name} left`];
  const [policyId] = await Promise.all([
    fundWallet(stack, contributor, { ada: 500, assets: { [sold]: 1, [removed]: 1, [left]: 1 } }),
    fundWallet(stack, investor, { ada: 1000 }),
    fundWallet(stack, buyer, { ada: 1000 }),
  ]);
  for (const asset of [sold, removed, left]) {
    const assetNameHex = Buffer.from(asset).toString('hex');
    await stack.ledger.setPrice({ policyId, assetNameHex, lovelace: '500000000' });
  }
  return { contributor, investor, buyer, heir, policyId, sold, removed, left };
}

/** One step of a life: its people ask for something, or time passes; the ledger has it later. */
export interface Step {
  readonly name: string;
  /** Kinds of the transactions that it makes. */
  readonly kinds: readonly string[];
  readonly take?: (stack: LifeStack, life: Life) => Promise<void>;
  /** Seconds by which the clock of the stack moves, after `take`. */
  readonly advanceBy?: number;
  /** Whether the vault has done its part of the step. */
  readonly isDone?: (stack: LifeStack, life: Life) => Promise<boolean>;
}

/** Takes a step with several vaults of one stack at once: they share its clock. */
export async function takeStep(stack: LifeStack, lives: readonly Life[], step: Step): Promise<void> {
  const { name, take, advanceBy, isDone } = step;
  if (take) await Promise.all(lives.map((life) => take(stack, life)));
  if (advanceBy !== undefined) await advanceTo(stack, (await stack.ledger.clock()).nowMs + advanceBy * 1000);
  const areDone = async () =>
    (await Promise.all(lives.map(async (life) => (await isDone?.(stack, life)) ?? true))).every(Boolean);
  await until(areDone, { what: `${lives.length} vaults to be through step ${name}`, deadlineMs: PATIENCE_MS });
}

/** Creates the vaults of a life and waits until they are open. */
export async function begin(stack: LifeStack, people: Cast): Promise<Life> {
  const { contributor, heir } = people;
  const windows = { asset: { asset_window_duration: '01:00:00' }, investment: { investment_window_duration: '24h' } };
  const termination = {
    type: 'DAO',
    remaining_assets_to: heir.address,
    unclaimed_lovelace_to: heir.address,
    claim_duration: '07:00:00',
  };
  const vaultId = await createVault(stack, contributor.address, { ...windows, vault: { termination } });
  const failingId = await createVault(stack, contributor.address, windows);
  for (const id of [vaultId, failingId]) await waitForVaultStatus(stack, id, 'ACTIVE');
  return { ...people, vaultId, failingId };
}

const idsOf = (lives: readonly Life[]) => lives.flatMap(({ vaultId, failingId }) => [vaultId, failingId]);

/** Waits until no transaction of the vaults is under way. */
export async function untilFinal({ sql }: Pick<TestStack, 'sql'>, lives: readonly Life[]): Promise<void> {
  const open = `select kind, state from chain_transactions where vault_id = any($1) and kind <> 'anchor'
    and state not in ('final', 'expired', 'failed')`;
  await until(async () => (await sql.query(open, [idsOf(lives)])).rows.length === 0, {
    what: `the transactions of the vaults to be final`,
    deadlineMs: PATIENCE_MS,
  });
}

/** Moves the clock to an instant, however often the request is lost. */
async function advanceTo({ root, ledger }: LifeStack, targetMs: number): Promise<void> {
  await until(
    async () => {
      const { nowMs } = await ledger.clock();
      const seconds = Math.max(1, Math.ceil((targetMs - nowMs) / 1000));
      const { status, body } = await root.post('/dev/clock/advance', { seconds });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return true;
    },
    { what: `the clock to be at ${new Date(targetMs).toISOString()}`, deadlineMs: PATIENCE_MS },
  );
}

/** What readers see of a life, and what its people hold: the same however the service was disturbed. */
export async function outcomeOf(stack: LifeStack, life: Life) {
  const ids = idsOf([life]);
  const { status, holds, fractionalization } = await readVault(stack, life.vaultId);
  const failed = await readVault(stack, life.failingId);
  const { rows } = await stack.sql.query<{ line: string }>(
    `select concat_ws(' ', 'asset', status, release_reason) as line from assets where vault_id = any($1)
      union all select concat_ws(' ', 'investment', lovelace, status, release_reason) from investments where vault_id = any($1)
      union all select concat_ws(' ', 'stake', amount, case when status = 'RELEASED' then 'released' else 'held' end)
        from stakes where vault_id = any($1)
      union all select concat_ws(' ', 'proposal', status, failure_reason) from proposals where vault_id = any($1)
      union all select concat_ws(' ', 'claim', amount, status) from claims where vault_id = any($1) and status = 'PAID'
      union all select concat_ws(' ', 'entitlement', ft, lovelace) from entitlements where vault_id = any($1)
      order by line`,
    [ids],
  );
  const lines = rows.map(({ line }) => line);
  return { status, holds, supply: fractionalization.tokenSupplyBaseUnits, failed: failed.status, lines };
}
