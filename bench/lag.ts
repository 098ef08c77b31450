import { Client, Connection } from '@temporalio/client';
import { eventually } from '../embedded/eventually.ts';
import { wallClock, instant, isoText } from '../src/platform/units/time.ts';
import { fundWallet, person, requestAddAsset } from '../test/vault-lifecycle/participants.ts';
import { createVault, type VaultOverrides } from '../test/vault-lifecycle/vault-requests.ts';
import { until } from '../test/stack/until.ts';
import { quantile, quantiles } from './quantiles.ts';
import { benchStack, type BenchStack } from './stack.ts';

/** As many as a vault takes. The first of a process are slower, because its code is not compiled yet. */
const REQUESTS = 100;
const ROUNDS = ['the first', 'the second', 'the third'];
const MINUTE_MS = 60_000;
/** For each vault; the worker publishes the keys of 200 vaults at a time. */
const CREATION_MS = 300;
/** Vaults that are created at the same time. */
const CREATED_AT_ONCE = 4;
const minute = { min: 60, max: 604_800 };

/** How late windows close (timer due → status in Postgres), and the cost of adding an asset compared with a bare workflow start. */
export async function lag(print: (line: string) => void, vaults = '50'): Promise<void> {
  await using stack = await benchStack({
    DURATION_BOUNDS: JSON.stringify({ assetWindow: minute, investmentWindow: minute }),
  });
  await compareWithStart(stack, print);
  await measureLag(stack, Number(vaults), print);
}

async function measureLag(stack: BenchStack, vaults: number, print: (line: string) => void): Promise<void> {
  // A window may start up to a minute in the past, so vaults can be created until these end.
  const startsAt = isoText(instant(wallClock.now() + 20_000 + CREATION_MS * vaults - MINUTE_MS));
  const asset = { asset_window_start_time: startsAt, asset_window_duration: '00:00:01' };
  const investment = { investment_start_time: startsAt, investment_window_duration: '00:00:01' };
  const ids: string[] = [];
  const places = Array.from({ length: vaults }).values();
  const create = async () => {
    while (places.next().done !== true) ids.push(await createWhenKeysAreFree(stack, { asset, investment }));
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create));
  const { rows: lags } = await until(
    async () => {
      const found = await stack.sql.query<{ lag: number }>(
        `select extract(epoch from recorded_at - ends_at)::float8 * 1000 as lag from windows
          where vault_id = any($1) and closed_at is not null`,
        [ids],
      );
      return found.rows.length === 2 * ids.length ? found : null;
    },
    { what: 'every window to close', deadlineMs: 120_000 },
  );
  print(
    `window lag, ${lags.length} windows of ${ids.length} vaults that end at the same instant: ${quantiles(lags.map((row) => row.lag))}`,
  );
}

/** Creates a vault, once the worker has published keys for it: it does so in portions. */
function createWhenKeysAreFree(stack: BenchStack, windows: VaultOverrides): Promise<string> {
  return eventually('vault keys are free', () => createVault(stack, person(1).address, windows), 30_000, 200);
}

async function compareWithStart(stack: BenchStack, print: (line: string) => void): Promise<void> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const client = new Client({ connection });
  for (const [round, name] of ROUNDS.entries()) {
    const { adds, starts } = await timeAlternately(stack, client, round);
    print(`add asset, ${name} ${REQUESTS}: ${quantiles(adds)}`);
    print(`bare workflow start:      ${quantiles(starts)}`);
    print(`add asset / workflow start, p50: ${ratio(adds, starts)}`);
  }
  await connection.close();
}

function ratio(times: readonly number[], base: readonly number[]): string {
  return (quantile(times, 0.5) / quantile(base, 0.5)).toFixed(2);
}

async function timeAlternately(stack: BenchStack, client: Client, round: number) {
  const owners = Array.from({ length: REQUESTS }, (_, number) => person(100 + round * REQUESTS + number));
  const policies = await Promise.all(
    owners.map((owner, number) => fundWallet(stack, owner, { ada: 50, assets: { [nameOf(round, number)]: 1 } })),
  );
  const vaultId = await createVault(stack, person(1).address, { asset: { max_assets: REQUESTS } });
  const starts: number[] = [];
  const adds: number[] = [];
  for (const [number, owner] of owners.entries()) {
    starts.push(
      await timed(() =>
        client.workflow.start('nothing', { taskQueue: 'bench', workflowId: `bench-${round}-${number}`, args: [] }),
      ),
    );
    adds.push(
      await timed(async () => {
        const asset = { policyId: policies[number] ?? '', name: nameOf(round, number) };
        const { status, body } = await requestAddAsset(stack, vaultId, owner, asset);
        if (status !== 201) throw new Error(`the asset was not accepted: ${JSON.stringify(body)}`);
      }),
    );
  }
  return { adds, starts };
}

/** Of each NFT its own: the policy is one for all, and a second one of a name would be an edition. */
function nameOf(round: number, number: number): string {
  return `Item${round}-${number}`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
