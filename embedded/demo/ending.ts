import { requireData } from '../../client/src/index.ts';
import { DAY, advance } from './settlement.ts';
import type { Service } from './service.ts';
import { endorse, printTally, vote } from './vote.ts';
import { type Wallet, ada, print, signAndWait } from './wallets.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Tokens that a wallet has staked. */
export interface DemoStake {
  readonly id: string;
  readonly wallet: Wallet;
  readonly tokens: number;
}

export interface Decision {
  readonly vaultId: string;
  readonly stakes: readonly DemoStake[];
  /** Gets the assets that are left. */
  readonly heir: Wallet;
}

/** The stakers decide that the vault ends; waits until holders can claim. */
export async function liquidate(service: Service, { vaultId, stakes, heir }: Decision): Promise<void> {
  const [proposer, second] = stakes.toSorted((one, other) => other.tokens - one.tokens);
  if (!proposer || !second) throw new Error('two wallets have to stake');
  const terms = { remaining_assets_to: heir.address };
  const proposed = await service.api.POST('/api/v1/vaults/{vaultId}/proposals', {
    params: { path: { vaultId } },
    body: {
      proposer: proposer.wallet.address,
      proposal_details: {
        title: 'Wind up',
        description: `Holders share the ADA. ${heir.name} gets the rest`,
        action_type: 'liquidate',
        terms,
      },
      governance_thresholds: { start_threshold: 25, required_cosigners: 0 },
      phases: { voting_duration: '168h', lock_duration: '24h', execution_duration: '48h' },
    },
  });
  const { proposal_id: proposalId } = requireData(proposed);
  print(`${proposer.wallet.name} proposed to end the vault
  proposal ${proposalId}`);
  await endorse(service, proposalId, second.wallet);
  for (const { wallet: voter, tokens } of [proposer, second])
    await vote(service, proposalId, { voter, tokens, vote: 'yes' });
  await advance(service, vaultId, 7 * DAY, 'Moved the clock by seven days: voting has ended');
  await printTally(service, proposalId);
  await advance(service, vaultId, DAY, 'Moved the clock by a day: the end can be executed');
  const body = {
    executing_user: proposer.wallet.address,
    cosigners: [],
    action: { type: 'liquidate', details: terms },
  };
  const params = { path: { proposalId } };
  requireData(await service.api.POST('/api/v1/proposals/{proposalId}/execute', { params, body }));
  const { data } = await service.event({ vaultId }, 'CLAIMS_OPENED', () => true);
  print(`${proposer.wallet.name} executed it: the pot holds ${ada(data.potLovelace)} until ${data.claimDeadline}`);
}

/** Returns a stake to its owner, who can only claim for tokens in the wallet. */
export async function unstake(service: Service, vaultId: string, { id: stakeId, wallet }: DemoStake): Promise<void> {
  const call = { params: { path: { stakeId } } };
  const { data } = requireData(await service.api.DELETE('/api/v1/stakes/{stakeId}', call));
  await signAndWait(service, vaultId, wallet, data.transaction, `${wallet.name} took the stake back`);
}

/** Returns all tokens of a wallet to the vault and pays it its share; returns the lovelace. */
export async function claim(service: Service, vaultId: string, holder: Wallet): Promise<bigint> {
  const params = { path: { vaultId } };
  const body = { walletAddress: holder.address };
  const { data } = requireData(await service.api.POST('/api/v1/vaults/{vaultId}/claims', { params, body }));
  const what = `${holder.name} returned ${data.amount.toLocaleString('en')} FT and was paid ${ada(data.payoutLovelace)}`;
  await signAndWait(service, vaultId, holder, data.transaction, what);
  return BigInt(data.payoutLovelace);
}

/** Waits until the vault has ended, and prints its steps and what its addresses still hold. */
export async function printEnd(service: Service, vaultId: string): Promise<void> {
  await service.event({ vaultId }, 'VAULT_STATUS_CHANGED', (event) => event.data.to === 'TERMINATED');
  const params = { path: { vaultId } };
  const { data: vault } = requireData(await service.api.GET('/api/v1/vaults/{vaultId}', { params }));
  print('The vault is TERMINATED:');
  for (const { name, status, transactionHash } of vault.termination?.steps ?? [])
    print(`  ${name}: ${status}${transactionHash === null ? '' : `, transaction ${transactionHash}`}`);
  const { data: left } = requireData(await service.api.GET('/api/v1/vaults/{vaultId}/remains', { params }));
  for (const { place, reason, lovelace } of left.remains) print(`  left in ${place}: ${reason}, ${ada(lovelace)}`);
  await printStatement(service, vaultId, left.remains);
}

/** Prints what came and went by the vault's statement; throws unless the difference is what its addresses hold, of each unit. */
async function printStatement(service: Service, vaultId: string, remains: readonly Holding[]): Promise<void> {
  const params = { path: { vaultId }, query: { limit: 1000 } };
  const { data } = requireData(await service.api.GET('/api/v1/vaults/{vaultId}/statement', { params }));
  const movedBy = (direction: string) =>
    totalsOf(data.movements.filter((movement) => movement.direction === direction));
  const [came, went, closing, held] = [movedBy('in'), movedBy('out'), totalsOf([data.closing]), totalsOf(remains)];
  const lovelaceOf = (totals: Totals) => ada(String(totals.get('lovelace') ?? 0n));
  print(`Its statement: ${lovelaceOf(came)} came in with ${data.movements.length} movements, ${lovelaceOf(went)} left`);
  if (data.next !== null) throw new Error('the statement has more than one page');
  for (const unit of new Set([...came.keys(), ...closing.keys(), ...held.keys()])) {
    const of = (totals: Totals) => totals.get(unit) ?? 0n;
    const [closes, left] = [of(closing), of(held)];
    if (of(came) - of(went) !== left || closes !== left)
      throw new Error(`the statement closes with ${closes} of ${unit}, the addresses hold ${left}`);
  }
  print(`  It adds up in ${came.size} units`);
}

interface Holding {
  readonly lovelace: string;
  readonly assets: readonly { readonly unit: string; readonly quantity: string }[];
}

/** Base units of each unit, ADA as `lovelace`. */
type Totals = ReadonlyMap<string, bigint>;

function totalsOf(holdings: readonly Holding[]): Totals {
  const totals = new Map<string, bigint>();
  for (const { lovelace, assets } of holdings)
    for (const { unit, quantity } of [{ unit: 'lovelace', quantity: lovelace }, ...assets])
      totals.set(unit, (totals.get(unit) ?? 0n) + BigInt(quantity));
  return totals;
}

/** Compares the books of every vault with the ledger, as `npm run reconcile` does, and prints the result. Throws when they differ. */
export async function reconcile(): Promise<void> {
  const program = ['--disable-warning=ExperimentalWarning', 'src/operations/commands/main.ts', 'reconcile'];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, program);
    print(`Records and ledger: ${stdout.trim()}`);
  } catch (error) {
    throw new Error((error as { readonly stdout?: string }).stdout ?? String(error), { cause: error });
  }
}
